// Tracking through the public interfaces: a mail is accepted, delivered to a receiver, opened, clicked and unsubscribed from.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { freePort } from './peers/fixture.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { type Reply, startWorld, type World } from './world/world.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
const TARGET = 'https://target.test/?a=1&b=%C3%BC&c=ü#f'
const HTML =
  '<html><body><a href="https://target.test/?a=1&amp;b=%C3%BC&amp;c=ü#f">one</a><a href="https://target.test/2">two</a>' +
  '<a href="https://target.test/3">three</a><a href="{{unsubscribe}}">out</a></body></html>'

interface Event {
  readonly event: string
  readonly event_id: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Mail {
  readonly id: string
  readonly to: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
  /** Paths on the service. */
  readonly pixel: string
  readonly links: readonly string[]
  readonly out: string
}

/**
 * The longest turn of this thread's event loop until `end`, in ms of its own CPU: on a busy machine wall time includes
 * others.
 */
function turnsOfThisThread(): { end(): number } {
  let longest = 0
  let last = process.threadCpuUsage()
  const look = (): void => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user + now.system - last.user - last.system)
    last = now
  }
  const looking = setInterval(look, 10)
  return {
    end: () => {
      clearInterval(looking)
      look()
      return longest / 1_000
    },
  }
}

describe('tracking', () => {
  let world: World
  let mx: Receiver
  let submissionPort = 0
  let count = 0
  before(async () => {
    mx = await startReceiver({})
    submissionPort = await freePort()
    world = await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: {
        POSTHORN_SMTP_PORT: String(mx.port),
        POSTHORN_PUBLIC_URL: 'https://posthorn.test',
        POSTHORN_SUBMISSION_PORT: String(submissionPort),
      },
    })
    await world.verifiedDomain('shop.example')
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await mx[Symbol.asyncDispose]()
  })

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    fetch(world.url + path, { method, redirect: 'manual', headers: { 'user-agent': CHROME, ...headers } })

  const until = async <T>(what: string, look: () => Promise<T | null>): Promise<T> => {
    for (let i = 0; i < 2_400; i++) {
      const found = await look()
      if (found !== null) return found
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error(`${what} did not come within a minute`)
  }

  /** A mail that was delivered ten seconds ago. */
  const mail = async (more: object = {}): Promise<Mail> => {
    const to = `reader${++count}@example.net`
    const sent = await world.api.post('/api/v1/send', {
      from: 'a@shop.example',
      to,
      subject: 's',
      html: HTML,
      text: 'Out: {{unsubscribe}}',
      tracking_enabled: true,
      unsubscribe_header_enabled: true,
      ...more,
    })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    return received(sent.body.data.email_id, to)
  }
  /** The mail as the receiver got it, ten seconds ago. */
  const received = async (id: string, to: string): Promise<Mail> => {
    await until('the delivery', async () => {
      const { body } = await world.api.get(`/api/v1/emails/${id}`)
      return body.data.status === 'delivered' ? true : null
    })
    const raw = mx.messages.findLast(({ data }) => data.includes(to))
    const { html = '', headers } = await PostalMime.parse(raw?.data ?? '')
    world.clock.advance(10_000)
    const paths = [...html.matchAll(/https:\/\/posthorn\.test(\/track\/[ocu]\/[\w-]+)/g)].map(([, path = '']) => path)
    return {
      id,
      to,
      html,
      headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
      pixel: paths.find((path) => path.startsWith('/track/o/')) ?? '',
      links: paths.filter((path) => path.startsWith('/track/c/')),
      out: paths.find((path) => path.startsWith('/track/u/')) ?? '',
    }
  }
  const reactions = async (id: string): Promise<Event[]> => {
    const { body }: Reply = await world.api.get(`/api/v1/emails/${id}`)
    return body.data.events.filter(({ event }: Event) => /opened|clicked|unsubscribed/.test(event))
  }
  /** The events of this mail, once there are `many` from `hits` hits. The clock is advanced once all hits are recorded. */
  const events = async (id: string, many: number, hits = many): Promise<Event[]> => {
    await until(`${hits} hits`, async () => {
      const text = 'select id from hit where email_id = $1'
      const found = await world.operator.database.system.query({ name: 'test_hits_of', text }, [id])
      return found.length >= hits ? true : null
    })
    world.clock.advance(5_000)
    return until(`${many} events`, async () => {
      const found = await reactions(id)
      return found.length >= many ? found : null
    })
  }

  test('an open by a person is one event with its facts, counted once', async () => {
    const { id, pixel } = await mail()
    const reply = await get(pixel)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'image/gif')
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.equal((await reply.arrayBuffer()).byteLength, 43)
    const [opened] = await events(id, 1)
    assert.equal(opened?.event, 'email.opened')
    const { first_open, open_count, platform, client, is_machine, machine_reason, user_agent } = opened?.data ?? {}
    assert.deepEqual(
      { first_open, open_count, platform, client, is_machine, machine_reason, user_agent },
      {
        first_open: true,
        open_count: 1,
        platform: 'webmail',
        client: 'Chrome',
        is_machine: false,
        machine_reason: null,
        user_agent: CHROME,
      },
    )
    assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.open_count, 1)
  })

  test('a click leads to the target byte for byte, and counts the mail as opened', async () => {
    const { id, links } = await mail()
    const reply = await get(links[0] ?? '')
    assert.equal(reply.status, 302)
    assert.equal(Buffer.from(reply.headers.get('location') ?? '', 'latin1').toString(), TARGET)
    assert.equal(reply.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(reply.headers.get('set-cookie'), null)
    const found = await events(id, 2, 1)
    assert.deepEqual(found.map(({ event }) => event).sort(), ['email.clicked', 'email.opened'])
    const clicked = found.find(({ event }) => event === 'email.clicked')?.data
    assert.equal(clicked?.['url'], TARGET)
    assert.deepEqual(
      [clicked?.['link_index'], clicked?.['first_click'], clicked?.['click_count'], clicked?.['platform']],
      [0, true, 1, 'desktop'],
    )
  })

  test('first flags and counters are exact with fifty simultaneous opens', async () => {
    const { id, pixel } = await mail()
    await Promise.all(Array.from({ length: 50 }, () => get(pixel)))
    const found = await events(id, 50)
    assert.equal(found.length, 50)
    assert.equal(found.filter(({ data }) => data['first_open'] === true).length, 1)
    assert.deepEqual(
      found.map(({ data }) => Number(data['open_count'])).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
    assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.open_count, 50)
  })

  test('a scanner that sends GET and HEAD to every link unsubscribes nobody and records no click', async () => {
    const { id, to, pixel, links, out } = await mail()
    await Promise.all([pixel, ...links, out].flatMap((path) => [get(path), get(path, {}, 'HEAD')]))
    const found = await events(id, 8)
    assert.equal(found.length, 8)
    const reasons = found.map(({ event, data }) => `${event} ${String(data['machine_reason'])}`)
    assert.deepEqual(reasons.filter((reason) => reason === 'email.clicked link_scanner').length, 3)
    assert.deepEqual(reasons.filter((reason) => reason.endsWith('head_request')).length, 4)
    const clicked = found.filter(({ event }) => event === 'email.clicked')
    assert.ok(clicked.length > 0 && clicked.every(({ data }) => data['opened_at'] === null))
    assert.equal((await world.api.get(`/api/v1/emails/${id}`)).body.data.click_count, 0)
    const listed = await world.api.get(`/api/v1/customer/unsubscribes?search=${encodeURIComponent(to)}`)
    assert.deepEqual(listed.body.data, [])
  })

  test('a hit before the delivery or within 2 s of it comes from a machine', async () => {
    const { id, pixel } = await mail()
    world.clock.advance(-10_000)
    await get(pixel)
    const [opened] = await events(id, 1)
    assert.equal(opened?.data['is_machine'], true)
    assert.equal(opened?.data['first_open'], false)
  })

  test('a browser prefetch is no person, and the person who comes after it is', async () => {
    const { id, pixel, links } = await mail()
    const ahead = { 'sec-purpose': 'prefetch;prerender', purpose: 'prefetch' }
    assert.equal((await get(links[0] ?? '', ahead)).status, 302)
    assert.equal((await get(pixel, { 'X-Moz': 'prefetch' })).status, 200)
    const found = await events(id, 2)
    assert.deepEqual(
      found.map(({ data }) => data['machine_reason']),
      ['proxy_prefetch', 'proxy_prefetch'],
    )
    const read = await world.api.get(`/api/v1/emails/${id}`)
    assert.deepEqual([read.body.data.open_count, read.body.data.click_count], [0, 0])
    await get(links[0] ?? '')
    const clicked = (await events(id, 4, 3)).find(({ data }) => data['first_click'] === true)
    assert.equal(clicked?.data['is_machine'], false)
  })

  const BODIES: [why: string, source: string, init: RequestInit][] = [
    [
      'urlencoded',
      'one_click',
      { body: 'List-Unsubscribe=One-Click', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    [
      'urlencoded with every special character escaped',
      'one_click',
      {
        body: 'List%2DUnsubscribe=One%2DClick',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
    ['multipart', 'one_click', { body: formOf('List-Unsubscribe', 'One-Click') }],
    [
      'a form in the charset that Java names',
      'one_click',
      {
        body: 'List-Unsubscribe=One-Click',
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=ISO-8859-1' },
      },
    ],
    ['a form without a type', 'one_click', { body: Buffer.from('List-Unsubscribe=One-Click') }],
    ['the page form', 'link', { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['no body', 'link', {}],
  ]
  for (const [why, source, init] of BODIES) {
    test(`unsubscribing by ${why} takes effect at once, and is one event of source ${source}`, async () => {
      const { id, to, out } = await mail()
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => fetch(world.url + out, { ...init, method: 'POST', redirect: 'manual' })),
      )
      assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200])
      assert.equal(replies[0]?.headers.get('set-cookie'), null)
      const listed = await world.api.get(`/api/v1/customer/unsubscribes?search=${encodeURIComponent(to)}`)
      assert.deepEqual(
        listed.body.data.map((entry: { email: string; source: string }) => [entry.email, entry.source]),
        [[to, source]],
      )
      assert.equal((await events(id, 1)).length, 1)
      const again = await world.api.post('/api/v1/send', { from: 'a@shop.example', to, subject: 's', text: 't' })
      assert.equal(again.status, 422)
      assert.equal(again.body.code, 'recipient_unsubscribed')
    })
  }

  test('a body that is neither one click nor the page’s form unsubscribes nobody, and is answered with the button', async () => {
    const { to, out } = await mail()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const bodies: RequestInit[] = [
      { body: 'List-Unsubscribe=No', headers: form },
      { body: 'x=List-Unsubscribe=One-Click', headers: form },
      { body: formOf('foo', 'bar') },
      ...['{}', 'null', '1', '"x"'].map((body) => ({ body, headers: { 'content-type': 'application/json' } })),
    ]
    for (const init of bodies) {
      const reply = await fetch(world.url + out, { ...init, method: 'POST', redirect: 'manual' })
      assert.equal(reply.status, 400)
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      assert.match(await reply.text(), /<form method="post"><button type="submit">/)
    }
    const listed = await world.api.get(`/api/v1/customer/unsubscribes?search=${encodeURIComponent(to)}`)
    assert.deepEqual(listed.body.data, [])
  })

  test('the page masks the address, runs no script and changes nothing', async () => {
    const { to, out } = await mail()
    const reply = await get(out)
    const html = await reply.text()
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    assert.ok(!html.includes(to) && !html.includes('<script'))
    assert.match(html, /r\*\*\*@e\*\*\*\.net/)
    assert.match(html, /<form method="post"><button type="submit">/)
    const head = await get(out, {}, 'HEAD')
    assert.equal(head.status, 200)
  })

  test('tokens that are foreign, for another purpose, truncated or altered get the same 404', async () => {
    const { links, pixel, out } = await mail()
    const token = (links[0] ?? '').slice('/track/c/'.length)
    const bad = [
      'x',
      token.slice(0, -1),
      `${token}A`,
      `x${token.slice(1)}`,
      pixel.slice(9),
      out.slice(9),
      '..%2f',
      '%00',
      '%ff',
      '%',
      `${token}%0a`,
      `${token}/`,
      'a/b',
      '{{token}}',
      'é',
      'A'.repeat(4_000),
      'A'.repeat(12_000),
    ]
    const bodies = new Set<string>()
    for (const each of bad) {
      for (const place of ['c', 'u']) {
        if (each === out.slice(9) && place === 'u') continue
        const reply = await get(`/track/${place}/${each}`)
        assert.equal(reply.status, 404, `${place} ${each}`)
        assert.equal(reply.headers.get('location'), null)
        bodies.add(await reply.text())
      }
      const gif = await get(`/track/o/${each}`)
      assert.equal((await gif.arrayBuffer()).byteLength, 43)
    }
    assert.equal(bodies.size, 1)
  })

  /** A mail by SMTP submission, delivered ten seconds ago. */
  const submitted = async (headers: Record<string, string> = {}): Promise<Mail> => {
    const to = `writer${++count}@example.net`
    const transport = createTransport({
      host: '127.0.0.1',
      port: submissionPort,
      auth: { user: 'apikey', pass: world.account.apiKey },
      tls: { rejectUnauthorized: false },
    })
    const info = await transport.sendMail({
      from: 'a@shop.example',
      to,
      subject: 's',
      html: HTML,
      text: 'Out: {{unsubscribe}}',
      headers,
    })
    const id = /queued as ([0-9a-f-]{36})/.exec(info.response)?.[1] ?? ''
    return received(id, to)
  }

  test('a submitted mail is tracked like one sent by the API, and signed afterwards', async () => {
    const settings = { tracking_enabled: true, unsubscribe_header_enabled: true }
    const { body } = await world.api.get('/api/v1/customer/domains')
    const domain = `/api/v1/customer/domains/${body.data[0].id}`
    assert.equal((await world.api.patch(domain, settings)).status, 200)
    const { id, links, pixel, out, headers, to } = await submitted()
    assert.equal(links.length, 3)
    assert.ok(pixel !== '' && out !== '')
    assert.match(headers['list-unsubscribe'] ?? '', /^<https:\/\/posthorn\.test\/track\/u\/[\w-]+>,\s*<mailto:u\+/)
    assert.equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')
    const raw = mx.messages.findLast(({ data }) => data.includes(to))?.data ?? ''
    const { results } = await dkimVerify(raw, {
      resolver: async (name) => {
        const found = await world.zones.txt(name, AbortSignal.timeout(1_000))
        return found.kind === 'found' ? found.records.map((record) => [record]) : []
      },
    })
    assert.equal(results[0]?.status?.result, 'pass')
    const reply = await get(links[1] ?? '')
    assert.equal(reply.headers.get('location'), 'https://target.test/2')
    const clicked = (await events(id, 2, 1)).find(({ event }) => event === 'email.clicked')
    assert.equal(clicked?.data['link_index'], 1)

    // The setting of the email takes precedence over that of the domain.
    const own = await submitted({ 'X-Track-Opens': 'false', 'X-Track-Clicks': 'true' })
    assert.deepEqual([own.pixel, own.links.length], ['', 3])
    // The setting of the domain takes precedence over that of the account, which is off.
    assert.equal((await world.api.patch(domain, { tracking_enabled: false })).status, 200)
    assert.equal((await submitted()).links.length, 0)
    const restored = { tracking_enabled: null, unsubscribe_header_enabled: null }
    assert.equal((await world.api.patch(domain, restored)).status, 200)
  })

  test('html that takes too long to parse is sent whole, and blocks nobody', async () => {
    const large = `${'<table><tr><td>'.repeat(60_000)}<a href="https://target.test/1">x</a>`
    const turns = turnsOfThisThread()
    const { html, links, pixel } = await mail({ html: large, text: null })
    const longestMs = turns.end()
    assert.ok(html.replace(/<img [^>]*>|https:\/\/[^"]*/g, '').trim() === large.replace(/https:\/\/[^"]*/, ''))
    assert.ok(links.length === 1 && pixel !== '')
    assert.ok(longestMs < 1_000, `everybody else waited ${longestMs} ms`)
  })

  test('an untracked mail keeps its html, and the placeholder and the header work', async () => {
    // A List-Unsubscribe-Post of the sender would stand beside ours.
    const own = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
    const { html, links, pixel, out, headers, to } = await mail({ tracking_enabled: false, headers: own })
    const raw = mx.messages.findLast(({ data }) => data.includes(to))?.data.toString('latin1') ?? ''
    assert.equal(raw.match(/^List-Unsubscribe-Post:/gm)?.length, 1)
    assert.deepEqual([links.length, pixel], [0, ''])
    assert.ok(html.includes('href="https://target.test/2"') && out !== '')
    assert.match(
      headers['list-unsubscribe'] ?? '',
      /^<https:\/\/posthorn\.test\/track\/u\/[\w-]+>,\s*<mailto:u\+[a-z2-7]+@/,
    )
    assert.equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')
  })
})

function formOf(name: string, value: string): FormData {
  const form = new FormData()
  form.set(name, value)
  return form
}
