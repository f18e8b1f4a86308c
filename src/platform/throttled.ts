/**
 * Calls `act` at once, and then at most once in `everyMs`: calls in between become one at the end of that time, so the last
 * call is always followed by an act.
 */
export function throttled(everyMs: number, act: () => void): () => void {
  let resting = false
  let again = false
  const run = (): void => {
    resting = true
    setTimeout(() => {
      resting = false
      if (!again) return
      again = false
      run()
    }, everyMs).unref()
    act()
  }
  return () => {
    if (resting) again = true
    else run()
  }
}
