// Whether something outside answers in time, as far as this process can tell.

/**
 * Time in which this process itself stood still is not held against an answer that came meanwhile: when the time is over,
 * what the sockets hold is read before anything is said. (Node runs the timers of a turn before it reads.)
 *
 * @throws Error when there is no answer within `withinMs`; what `work` throws
 */
export async function answerWithin<T>(work: Promise<T>, withinMs: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => setImmediate(() => late.reject(new Error(`there was no answer within ${withinMs} ms`))),
    withinMs,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
