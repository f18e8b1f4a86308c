import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../platform/clock.ts'
import { destinationWindows, FIRST_WINDOW } from './destination-windows.ts'
import { Pace } from './pace.ts'
import { type AnswerGate, type AtGate, answerGate, byteBudget } from './process-limits.ts'
import { type SocketKind, type SocketOwner, socketsOf } from './sockets.ts'

async function settled(promise: Promise<unknown> | null): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending
}

function owner(kind: SocketKind): SocketOwner {
  return { kind }
}

test('a destination starts with five connections and gets one more after each round without trouble, up to twenty', () => {
  const pace = new Pace()
  assert.equal(pace.limit, 5)
  for (let n = 0; n < 6; n++) pace.answered()
  assert.equal(pace.limit, 6)
  for (let n = 0; n < 1_000; n++) pace.answered()
  assert.equal(pace.limit, 20)
})

test('a 421 halves the connections and pauses the destination, each time for twice as long, at most a minute', () => {
  const pace = new Pace()
  let nowMs = 0
  for (const [limit, pauseMs] of [
    [2, 1_000],
    [1, 2_000],
    [1, 4_000],
  ] as const) {
    pace.throttled(nowMs)
    assert.deepEqual([pace.limit, pace.pauseMs(nowMs)], [limit, pauseMs])
    pace.throttled(nowMs + 1)
    assert.equal(pace.limit, limit, 'those that were under way say the same')
    nowMs += pauseMs
  }
  for (let n = 0; n < 20; n++) {
    pace.throttled(nowMs)
    nowMs += pace.pauseMs(nowMs)
  }
  pace.throttled(nowMs)
  assert.equal(pace.pauseMs(nowMs), 60_000)
})

test('a destination is down after three attempts that reach nobody, and up again after the first answer', () => {
  const pace = new Pace()
  pace.unreachable(0)
  pace.unreachable(0)
  assert.equal(pace.isDown(0), false)
  pace.unreachable(0)
  assert.equal(pace.isDown(4_999), true)
  assert.equal(pace.isDown(5_000), false)
  pace.answered()
  pace.unreachable(6_000)
  assert.equal(pace.isDown(6_000), false)
})

test('destinations that have never answered leave half of the sockets to others', async () => {
  const sockets = socketsOf(4)
  const [dead, alive] = [owner('unproven'), owner('quick')]
  await sockets.acquire(dead)
  await sockets.acquire(dead)
  const third = sockets.acquire(dead)
  assert.equal(await settled(third), false)
  await sockets.acquire(alive)
  await sockets.acquire(alive)
  sockets.release(alive, 'quick')
  assert.equal(await settled(third), false)
  sockets.release(dead, 'unproven')
  assert.equal(await settled(third), true)
})

test('destinations that are slow, or have never answered, leave a quarter of the sockets to others', async () => {
  const sockets = socketsOf(8)
  const [dead, slow, quick] = [owner('unproven'), owner('slow'), owner('quick')]
  for (const one of [dead, dead, slow, slow, slow, slow]) await sockets.acquire(one)
  const [more, another] = [sockets.acquire(slow), sockets.acquire(dead)]
  assert.deepEqual([await settled(more), await settled(another)], [false, false])
  assert.equal(await settled(Promise.all([sockets.acquire(quick), sockets.acquire(quick)])), true)
  sockets.release(quick, 'quick')
  assert.deepEqual([await settled(more), await settled(another)], [false, false])
  sockets.release(slow, 'slow')
  assert.deepEqual([await settled(more), await settled(another)], [false, true], 'the one that has fewer')
})

test('a connection with more mail is given up for a destination that has at least two fewer, or none', async () => {
  const sockets = socketsOf(4)
  const [many, few, none] = [owner('quick'), owner('quick'), owner('quick')]
  for (const one of [many, many, many, few]) await sockets.acquire(one)
  assert.equal(sockets.isOwed(many, 'quick', 1_000), false, 'nothing waits')
  const waiting = sockets.acquire(few)
  assert.deepEqual([sockets.isOwed(many, 'quick', 1_000), sockets.isOwed(few, 'quick', 1_000)], [true, false])
  let close = (): void => undefined
  sockets.release(many, 'quick', new Promise((resolve) => (close = resolve)))
  assert.equal(sockets.isOwed(many, 'quick', 1_000), false, 'one is on its way')
  close()
  assert.equal(await settled(waiting), true)
  void sockets.acquire(few)
  assert.equal(sockets.isOwed(many, 'quick', 1_000), false, 'they have as many')
  const first = sockets.acquire(none)
  assert.deepEqual([sockets.isOwed(many, 'quick', 999), sockets.isOwed(many, 'quick', 1_000)], [false, true])
  sockets.release(many, 'quick')
  assert.equal(await settled(first), true, 'the one that has none goes first')
})

test('when all sockets are taken, an idle connection is closed for a waiting one', async () => {
  const sockets = socketsOf(1)
  const one = owner('quick')
  await sockets.acquire(one)
  sockets.park(() => sockets.release(one, 'quick'), 'quick')
  assert.equal(await settled(sockets.acquire(owner('quick'))), true)
})

test('a connection that becomes idle is closed for a waiting one if that makes room for it', async () => {
  const sockets = socketsOf(4)
  const [dead, alive] = [owner('unproven'), owner('quick')]
  for (const one of [dead, dead, alive, alive]) await sockets.acquire(one)
  const unproven = sockets.acquire(dead)
  let closed = ''
  sockets.park(() => {
    closed += 'quick '
    sockets.release(alive, 'quick')
  }, 'quick')
  assert.equal(await settled(unproven), false)
  sockets.park(() => {
    closed += 'unproven '
    sockets.release(dead, 'unproven')
  }, 'unproven')
  assert.equal(await settled(unproven), true)
  assert.equal(await settled(sockets.acquire(alive)), true)
  assert.equal(closed, 'unproven quick ')
})

test('a destination is slow when all its mails take long, and no longer after a quick one', () => {
  const pace = new Pace()
  pace.took(8_000)
  assert.equal(pace.kind, 'unproven')
  pace.answered()
  assert.equal(pace.kind, 'slow')
  pace.took(20)
  assert.equal(pace.kind, 'quick')
  pace.took(3_000)
  assert.equal(pace.kind, 'quick', 'one late answer')
  for (let n = 0; n < 3; n++) pace.took(3_000)
  assert.equal(pace.kind, 'slow')
})

const mailTo = (site: string, accountId = 'a', bulk = false): AtGate => ({ site, accountId, bulk })

test('only the allowed number of messages is between final dot and commit, the others wait', async () => {
  const gate = answerGate(2, systemClock())
  const first = await gate.enter(mailTo('a.example'))
  await gate.enter(mailTo('b.example'))
  const third = gate.enter(mailTo('c.example'))
  assert.equal(await settled(third), false)
  first.leave()
  first.leave()
  assert.equal(await settled(third), true)
  assert.equal(await settled(gate.enter(mailTo('d.example'))), false)
})

test('a destination gets one message until it has answered, and other destinations do not wait for it', async () => {
  const gate = answerGate(2, systemClock())
  const first = await gate.enter(mailTo('a.example'))
  const second = gate.enter(mailTo('a.example'))
  assert.equal(await settled(second), false)
  assert.equal(await settled(gate.enter(mailTo('b.example'))), true)
  first.answered()
  first.leave()
  assert.equal(await settled(second), true)
})

test('a destination whose first message gets no answer, because the connection breaks, gets the next', async () => {
  const gate = answerGate(2, systemClock())
  const first = await gate.enter(mailTo('a.example'))
  const second = gate.enter(mailTo('a.example'))
  first.leave()
  assert.equal(await settled(second), true)
})

test('accounts take turns at the places, and of each goes mail to one person first', async () => {
  const gate = answerGate(1, systemClock())
  let last = await gate.enter(mailTo('a.example'))
  last.answered()
  const order: string[] = []
  const wait = (name: string, accountId: string, bulk = false): void =>
    void gate.enter(mailTo('a.example', accountId, bulk)).then((pass) => {
      last = pass
      order.push(name)
    })
  for (const n of [1, 2, 3]) wait(`much ${n}`, 'much', n < 3)
  wait('little 1', 'little')
  wait('little 2', 'little')
  for (let n = 1; n <= 5; n++) {
    last.leave()
    await delay(1)
    assert.equal(order.length, n)
  }
  assert.deepEqual(order, ['much 3', 'little 1', 'much 1', 'little 2', 'much 2'])
})

/** A gate that has seen a.example take its time. */
async function slowGate(limit: number): Promise<AnswerGate> {
  const gate = answerGate(limit, systemClock())
  const slow = await gate.enter(mailTo('a.example'))
  await delay(120)
  slow.answered()
  slow.leave()
  return gate
}

test('a message to a destination whose answers are quick keeps its place although one answer is late', async () => {
  const gate = answerGate(1, systemClock())
  const quick = await gate.enter(mailTo('b.example'))
  quick.answered()
  quick.leave()
  const late = await gate.enter(mailTo('b.example'))
  const next = gate.enter(mailTo('b.example'))
  await delay(150)
  assert.equal(await settled(next), false)
  late.leave()
  assert.equal(await settled(next), true)
})

test('a destination that has not answered for a second is taken for a slow one', async () => {
  const gate = answerGate(1, systemClock())
  await gate.enter(mailTo('c.example'))
  const second = gate.enter(mailTo('c.example'))
  await delay(900)
  assert.equal(await settled(second), false)
  await delay(150)
  assert.equal(await settled(second), true)
  const third = gate.enter(mailTo('c.example'))
  await delay(100)
  assert.equal(await settled(third), true)
})

test('a destination whose answers were quick is not taken for a slow one after a few slow answers', async () => {
  let nowMs = 0
  const gate = answerGate(1, { ...systemClock(), monotonicMs: () => nowMs })
  const answerAfter = async (ms: number): Promise<void> => {
    const pass = await gate.enter(mailTo('b.example'))
    nowMs += ms
    pass.answered()
    pass.leave()
  }
  for (const ms of [0, 300, 300, 300]) await answerAfter(ms)
  await gate.enter(mailTo('b.example'))
  const next = gate.enter(mailTo('b.example'))
  await delay(150)
  assert.equal(await settled(next), false)
})

test('where destinations took long for their first answers, the first mail to another holds no place until its own', async () => {
  let nowMs = 0
  const clock = { ...systemClock(), monotonicMs: () => nowMs }
  const [untold, told] = [answerGate(1, clock), answerGate(1, clock)]
  for (let n = 0; n < 8; n++) {
    const first = await told.enter(mailTo(`a${n}.test`))
    nowMs += 5_000
    first.answered()
    first.leave()
  }
  await untold.enter(mailTo('b.test'))
  await told.enter(mailTo('b.test'))
  const order: string[] = []
  await Promise.all([
    untold.enter(mailTo('c.test')).then(() => void order.push('untold')),
    told.enter(mailTo('c.test')).then(() => void order.push('told')),
  ])
  assert.deepEqual(order, ['told', 'untold'])
})

test('an answered message keeps its place until it is recorded, however late either happens', async () => {
  const gate = await slowGate(2)
  const [prompt, silent] = [await gate.enter(mailTo('a.example')), await gate.enter(mailTo('a.example'))]
  prompt.answered()
  const third = await gate.enter(mailTo('a.example'))
  third.answered()
  // The silent one lost its place, the answered one did not.
  await delay(100)
  const fourth = gate.enter(mailTo('a.example'))
  assert.equal(await settled(fourth), false)
  silent.answered()
  prompt.leave()
  assert.equal(await settled(fourth), false)
  silent.leave()
  silent.answered()
  assert.equal(await settled(fourth), true)
})

test('answers that came during a long turn are read before their messages lose their places', async () => {
  const gate = await slowGate(1)
  const pass = await gate.enter(mailTo('a.example'))
  const next = gate.enter(mailTo('a.example'))
  const receiver = createServer((socket) => {
    socket.end('250 ok')
    const end = performance.now() + 150
    while (performance.now() < end) Math.sqrt(end)
  }).listen(0, '127.0.0.1')
  receiver.unref()
  await once(receiver, 'listening')
  await once(connect((receiver.address() as AddressInfo).port, '127.0.0.1'), 'data')
  pass.answered()
  await delay(100)
  assert.equal(await settled(next), false)
  pass.leave()
  assert.equal(await settled(next), true)
  receiver.close()
})

test('large messages wait for their share of the byte budget; one larger than the budget is processed alone', async () => {
  const budget = byteBudget(10)
  await budget.take(6)
  const huge = budget.take(50)
  assert.equal(await settled(huge), false)
  budget.give(6)
  assert.equal(await settled(huge), true)
  const next = budget.take(1)
  assert.equal(await settled(next), false)
  budget.give(50)
  assert.equal(await settled(next), true)
})

test('a destination that takes its mail may hold more, a paused one gets none', () => {
  let pauseMs = 0
  const places = destinationWindows({ most: 4_000, pauseMs: () => pauseMs, answers: () => true, isSlow: () => false })
  const fill = (): number => {
    let entered = 0
    while (places.enter(1, 'example.net')) entered++
    return entered
  }
  assert.equal(fill(), FIRST_WINDOW)
  assert.equal(places.free(10_000).sites.get(1), 0)
  for (let n = 0; n < FIRST_WINDOW; n++) places.leave(1, 10_000)
  fill()
  for (let n = 0; n < FIRST_WINDOW; n++) places.leave(1, 10_100)
  assert.equal(places.free(10_100).sites.get(1), 2 * FIRST_WINDOW)
  pauseMs = 5
  assert.equal(places.free(10_100).sites.get(1), 0)
})

test('silent destinations, however many, share half of the places and give them back', () => {
  const answering = new Set(['alive.test'])
  const places = destinationWindows({
    most: 1_000,
    pauseMs: () => 0,
    answers: (site) => answering.has(site),
    isSlow: () => false,
  })
  assert.ok(places.enter(0, 'alive.test'))
  const entered: number[] = []
  for (let n = 0; n < 20_000; n++) if (places.enter(1 + (n % 500), `silent${n % 500}.test`)) entered.push(1 + (n % 500))
  assert.equal(entered.length, 500)
  const { sites, others } = places.free(10_000)
  assert.deepEqual([others, sites.get(1), sites.get(0)], [0, undefined, FIRST_WINDOW - 1])
  places.leave(0, 10_000)
  assert.equal(places.free(60_000).sites.get(0), FIRST_WINDOW, 'one that answers is still known when it comes to that')
  answering.add('silent0.test')
  for (const site of entered.slice(0, 200)) places.leave(site, 60_000)
  assert.equal(places.free(60_000).others, FIRST_WINDOW)
  for (const site of entered.slice(200)) places.leave(site, 60_000)
  let again = 0
  for (let n = 0; n < 20_000; n++) if (places.enter(1_000 + (n % 500), `dead${n % 500}.test`)) again++
  assert.equal(again, 500, 'no place was lost')
})

test('slow destinations, however many, leave places to quick ones and to those that have not answered', () => {
  const site = (n: number): string => (n < 500 ? 'slow' : n < 1_000 ? 'silent' : 'quick')
  const places = destinationWindows({
    most: 4_000,
    pauseMs: () => 0,
    answers: (name) => name !== 'silent',
    isSlow: (name) => name === 'slow',
  })
  const fill = (from: number): number => {
    let entered = 0
    for (let n = 0; n < 20_000; n++) if (places.enter(from + (n % 500), site(from))) entered++
    return entered
  }
  for (let n = 0; n < 15; n++) assert.ok(places.enter(0, site(0)))
  assert.equal(places.free(10_000).sites.get(0), 5, 'one for each of its connections')
  assert.equal(fill(0), 2_000 - 15)
  places.room(10_000)
  assert.equal(places.free(10_000).sites.get(0), 0)
  assert.equal(fill(500), 1_000)
  assert.deepEqual([places.free(10_000).others, places.room(10_000)], [0, 1_000])
  assert.ok(places.enter(1_000, site(1_000)))
  assert.equal(places.free(10_000).sites.get(1_000), FIRST_WINDOW - 1)
  for (let n = 0; n < 500; n++) places.leave(n, 10_000)
  places.room(10_000)
  assert.equal(places.free(10_000).others, FIRST_WINDOW)
})

test('answering destinations hold a thousand emails, and twice as many each time these do not move', () => {
  const places = destinationWindows({ most: 4_000, pauseMs: () => 0, answers: () => true, isSlow: () => false })
  let nowMs = 10_000
  let next = 0
  const held: number[] = []
  const fill = (): number => {
    for (let room = places.room(nowMs); room > 0; room--) {
      const site = next++
      assert.ok(places.enter(site, `d${site}.test`))
      held.push(site)
    }
    return held.length
  }
  const end = (many: number): void => {
    for (const site of held.splice(0, many)) places.leave(site, nowMs)
  }
  assert.equal(fill(), 1_000)
  for (const [ended, then] of [
    [600, 1_000],
    [600, 1_000],
    [499, 2_000],
    [1_001, 2_000],
    [100, 4_000],
    [0, 4_000],
  ] as const) {
    end(ended)
    fill()
    nowMs += 2_000
    assert.equal(fill(), then, `${ended} ended`)
  }
  for (let n = 0; n < 2; n++) {
    end(4_000)
    fill()
  }
  nowMs += 2_000
  fill()
  end(4_000)
  assert.equal(fill(), 2_000, 'twice as many ended')
})
