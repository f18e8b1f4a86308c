// Whether something outside answers in time, as far as this process can tell.

/**
 * Time in which this process itself stood still is not held against an answer that came meanwhile: when the time is over,
 * what the sockets hold is read before anything is said. (Node runs the timers of a turn before it reads.)
 *
 * @returns whether `work` is fulfilled within `withinMs`; false when it rejects
 */
export async function answersWithin(work: Promise<unknown>, withinMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => setImmediate(late.resolve, false), withinMs)
  const answered = work.then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([answered, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
