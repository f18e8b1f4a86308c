/** Does the work with the machine's clock in another time zone. */
export async function inTimeZone(zone: string, work: () => void | Promise<void>): Promise<void> {
  const { TZ } = process.env
  process.env['TZ'] = zone
  try {
    await work()
  } finally {
    if (TZ === undefined) delete process.env['TZ']
    else process.env['TZ'] = TZ
  }
}
