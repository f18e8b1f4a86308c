// Whether something outside answers in time, as far as this process can tell.

/**
 * Does not count time in which this process itself stood still: when the time is over, pending data of the sockets is read
 * before the promise rejects. (Node runs the timers of a turn before it reads.)
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
