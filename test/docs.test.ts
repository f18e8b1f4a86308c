// The documentation as a reader gets it, checked against the service: examples of events against real events, the code that
// verifies signatures against real signatures.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { escapeText } from 'entities'
import { EVENT_TYPES } from '../src/modules/events/index.ts'
import { signedHeaders } from '../src/modules/webhooks/sign.ts'
import { withoutRefs } from '../src/platform/http/openapi-schemas.ts'
import { documentOf } from './world/document.ts'
import { startWorld, type World } from './world/world.ts'

const NO_ID = '0192f000-0000-7000-8000-00000000dead'
const MAIL = { from: 'you@example.com', subject: 'Hi', text: 'Hi', html: '<p>Hi</p>' }
const GUIDES = path.join(import.meta.dirname, '../docs/guides')
const MIN_PAGES = 12
const MIN_LINKS = 100
const EVENTS_WITHIN_MS = 60_000

let world: World
before(async () => {
  world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
})
after(() => world[Symbol.asyncDispose]())

interface Described {
  readonly schema: { readonly properties?: object }
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Shown {
  readonly address: string
  readonly status: number
  readonly headers: Headers
  readonly html: string
}

async function show(address: string): Promise<Shown> {
  const reply = await fetch(world.url + address)
  return { address, status: reply.status, headers: reply.headers, html: await reply.text() }
}

const hrefsOf = ({ html }: Shown): string[] => [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1] ?? '')

/** Every page that the navigation names. */
async function allPages(): Promise<readonly Shown[]> {
  const first = await show('/docs')
  const addresses = new Set(hrefsOf(first).filter((href) => /^\/docs\/[^#]+$/.test(href)))
  return [first, ...(await Promise.all([...addresses].map(show)))]
}

test('every page is html without script under a strict policy, and every internal link has a target', async () => {
  const pages = await allPages()
  assert.ok(pages.length >= MIN_PAGES, `${pages.length} pages: a check that checked nothing fails`)
  const ids = new Map(
    pages.map(({ address, html }) => [address, [...html.matchAll(/\sid="([^"]*)"/g)].map((match) => match[1])]),
  )
  let links = 0
  for (const page of pages) {
    assert.equal(page.status, 200, page.address)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.doesNotMatch(policy, /script-src|unsafe/)
    assert.doesNotMatch(page.html, /<script|\son\w+=|javascript:|\sstyle=|<img|<link/i)
    assert.equal(page.html.match(/<h1/g)?.length, 1, page.address)
    const known = ids.get(page.address) ?? []
    assert.equal(new Set(known).size, known.length, `an anchor stands twice on ${page.address}`)
    for (const href of hrefsOf(page).filter((one) => /^(?:#|\/docs)/.test(one))) {
      const [to, hash] = href.split('#', 2)
      const anchors = ids.get(to === '' ? page.address : (to ?? ''))
      assert.ok(anchors !== undefined, `${page.address} leads to ${href}`)
      if (hash !== undefined) assert.ok(anchors.includes(hash), `${page.address} leads to ${href}`)
      links++
    }
  }
  assert.ok(links >= MIN_LINKS, `${links} links: a check that checked nothing fails`)
})

test('each page of docs/ is served, but for those that only people with the code read', async () => {
  const files = [...(await readdir(path.join(GUIDES, '..'))), ...(await readdir(GUIDES))]
  const slugs = files.filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -'.md'.length))
  assert.ok(slugs.length >= MIN_PAGES, `${slugs.length} files: a check that checked nothing fails`)
  const served = new Set((await allPages()).map(({ address }) => address))
  const missing = slugs.filter((slug) => !served.has(`/docs/${slug}`))
  assert.deepEqual(missing.sort(), ['measurements', 'rfc'])
})

test('pages that are not listed are not served, whatever the path', async () => {
  for (const slug of [
    'nothing',
    'adr',
    'guides',
    '..%2Fpackage',
    '..%2F..%2Fetc%2Fpasswd',
    'quick-start.md',
    '__proto__',
  ]) {
    const { status, html } = await show(`/docs/${slug}`)
    assert.deepEqual([status, JSON.parse(html).code], [404, 'not_found'], slug)
  }
})

test('the document names the media type of each answer, and no answer has a status or type beyond it', async () => {
  const sent = await world.account.testApi.post('/api/v1/send', { ...MAIL, to: 'someone@example.net' })
  const body = await documentOf(world.api)
  const paths = Object.entries(
    body.paths as Record<string, { get?: { responses: Record<string, { content?: object }> } }>,
  )
  const types = new Set<string>()
  for (const [address, { get }] of paths) {
    // A stream does not end.
    if (get === undefined || address.endsWith('/stream')) continue
    const filled = address.startsWith('/api/v1/emails/') ? sent.body.data.email_id : NO_ID
    const { status, headers } = await world.api.get(address.replaceAll(/\{\w+\}/g, filled))
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    const named = Object.keys(get.responses[status]?.content ?? {})
    assert.ok(named.includes(type), `GET ${address}: ${status} ${type}, the document has ${named}`)
    types.add(type)
  }
  const several = ['application/json', 'image/gif', 'message/rfc822', 'text/csv', 'text/html', 'text/plain']
  assert.deepEqual([...types].sort(), several)
})

/** Descriptions and length limits of fields, including nullable ones, as the page writes them. */
function saidWithin(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap(saidWithin)
  const { description, maxLength, anyOf, allOf } = value as Record<string, unknown>
  return [
    ...(typeof description === 'string' ? [escapeText(description)] : []),
    ...(typeof maxLength === 'number' ? [`${maxLength}`] : []),
    ...saidWithin(anyOf),
    ...saidWithin(allOf),
  ]
}

test('the document names exactly the fields of each event that the guide shows', async () => {
  const { body: document } = await world.api.get('/openapi.json')
  const { schemas } = document.components
  const followed = withoutRefs(document).components.schemas
  const guide = await readFile(path.join(GUIDES, 'events.md'), 'utf8')
  const typed = new Map(
    (document.webhooks.event.post.requestBody.content['application/json'].schema.$ref ===
    '#/components/schemas/WebhookEvent'
      ? Object.entries(schemas.WebhookEvent.discriminator.mapping as Record<string, string>)
      : []
    ).map(([type, ref]) => [type, followed[ref.split('/').at(-1) ?? ''].properties]),
  )
  const fieldsOf = (value: object | undefined) => Object.keys(value ?? {}).sort()
  assert.deepEqual([...typed.keys()].sort(), [...Object.keys(EVENT_TYPES), 'test'].sort())
  for (const [, type = '', json = ''] of guide.matchAll(/^## (\S+)\n[^]*?```json\n([^]*?)```/gm)) {
    const shown = JSON.parse(json)
    assert.deepEqual(fieldsOf(typed.get(type)), fieldsOf(shown), type)
    assert.deepEqual(fieldsOf(typed.get(type)?.data?.properties), fieldsOf(shown.data), type)
  }
})

test('the document names the headers of each answer', async () => {
  const document = await documentOf(world.api)
  const named = (at: string, status: number) => Object.keys(document.paths[at].post.responses[status].headers)
  const { headers, status } = await world.account.testApi.post('/api/v1/send', { ...MAIL, to: 'named@reader.example' })
  for (const name of named('/api/v1/send', status)) assert.ok(headers.has(name) || name === 'Idempotent-Replayed', name)
  assert.ok(named('/api/v1/send', 429).includes('Retry-After'))
  assert.ok(named('/api/v1/send', 401).includes('WWW-Authenticate'))
  assert.ok(named('/api/customer/domains', 201).includes('Deprecation'))
})

test('the reference lists every operation of the document with its scope, its fields and its error codes', async () => {
  const { html } = await show('/docs/api')
  const document = await documentOf(world.api)
  const sections = html.split('<section class="operation">').slice(1)
  const operations = Object.entries(document.paths as Record<string, Record<string, Record<string, unknown>>>).flatMap(
    ([at, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ named: `${method.toUpperCase()} ${at}`, one })),
  )
  const present = operations.filter(({ one }) => one['deprecated'] !== true)
  assert.equal(sections.length, present.length)
  for (const { named, one } of present) {
    const section = sections.find((text) => text.includes(`>${named}</a></h3>`))
    assert.ok(section !== undefined, named)
    const scope = one['x-scope'] as string | undefined
    assert.ok(section.includes(scope === undefined ? '(no key' : `(scope <code>${scope}</code>`), named)
    for (const { description } of (one['parameters'] ?? []) as readonly { readonly description?: string }[]) {
      assert.ok(section.includes(escapeText(description ?? '')), `${named}: ${description}`)
    }
    const body = one['requestBody'] as { content: Record<string, Described> } | undefined
    for (const { schema } of Object.values(body?.content ?? {})) {
      for (const field of Object.keys(schema.properties ?? {})) {
        assert.ok(section.includes(`<code>${field}</code>`), `${named} ${field}`)
      }
    }
    for (const { schema } of Object.values(body?.content ?? {})) {
      for (const said of saidWithin(Object.values(schema.properties ?? {})))
        assert.ok(section.includes(said), `${named}: ${said}`)
    }
    for (const { value } of Object.values(body?.content['application/json']?.examples ?? {})) {
      const shown = escapeText(JSON.stringify(value, null, 2).replaceAll("'", `'\\''`))
      const [method, at] = named.split(' ')
      const command = `curl -sS${method === 'POST' ? '' : ` -X ${method}`} '${document.servers[0].url}${at}' `
      assert.ok(section.includes(scope === undefined ? shown : `-d '${shown}'</code>`), `${named}: ${shown}`)
      assert.equal(section.includes(command), scope !== undefined, named)
    }
    const responses = Object.entries(one['responses'] as Record<string, { description: string }>)
    for (const [status, { description }] of responses) {
      assert.ok(section.includes(status), `${named} ${status}`)
      if (Number(status) < 400) continue
      for (const code of description.split(', '))
        assert.ok(section.includes(`<code>${code}</code>`), `${named} ${code}`)
    }
  }
})

// biome-ignore lint/suspicious/noExplicitAny: events of every type are read
type Event = any

/** The example of each event on its page. */
async function examples(): Promise<ReadonlyMap<string, Event>> {
  const text = await readFile(path.join(GUIDES, 'events.md'), 'utf8')
  return new Map(
    [...text.matchAll(/^## (\S+)\n[^]*?```json\n([^]*?)```/gm)].map((match) => [
      match[1] ?? '',
      JSON.parse(match[2] ?? ''),
    ]),
  )
}

async function happenings(): Promise<readonly Event[]> {
  await world.verifiedDomain('shop.example')
  const { api } = world
  const mail = { from: 'Shop <hello@shop.example>', subject: 'Your receipt', tag: 'receipt', metadata: { order: 7 } }
  const html = '<p>Jo, here is <a href="https://shop.example/o/7">your order</a>.</p>'
  for (const result of ['deliver', 'bounce', 'defer', 'fail', 'suppress', 'complain']) {
    const more = { to: `${result}@example.net`, html, tracking_enabled: true, sandbox_result: result }
    assert.equal((await api.post('/api/v1/send', { ...mail, ...more })).status, 202)
  }
  const later = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const { body: scheduled } = await api.post('/api/v1/send', {
    ...mail,
    to: 'a@example.net',
    html,
    scheduled_at: later,
  })
  await api.post(`/api/v1/emails/${scheduled.data.email_id}/cancel`)
  await api.post('/api/v1/customer/suppressions', { email: 'no@example.net', reason: 'manual' })
  await api.delete('/api/v1/customer/suppressions/no@example.net')
  await api.post('/api/v1/customer/unsubscribes', { email: 'bye@example.net' })
  let isRead = false
  const seen = new Map<string, Event>()
  const until = performance.now() + EVENTS_WITHIN_MS
  while (seen.size < HAPPEN.length && performance.now() < until) {
    const { body } = await api.get('/api/v1/events?limit=1000')
    for (const event of body.data) seen.set(event.event, event)
    isRead ||= await readMail()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return [...seen.values()]
}

/** Follows the links of the delivered mail as its reader would. @returns false while the mail has not arrived */
async function readMail(): Promise<boolean> {
  const { body: inbox } = await world.api.get('/api/v1/inbox?to=deliver@example.net')
  if (inbox.data.length === 0) return false
  const { body: mail } = await world.api.get(`/api/v1/inbox/${inbox.data[0].id}`)
  for (const [, url = ''] of String(mail.data.html).matchAll(/(?:href|src)="([^"]+)"/g)) {
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0' }
    await (await fetch(world.url + new URL(url).pathname, { redirect: 'manual', headers })).arrayBuffer()
  }
  return true
}

const BY_OTHER_MEANS = ['domain.verification_failed', 'contact.confirmed', 'health.grade_changed']
const HAPPEN = Object.keys(EVENT_TYPES).filter((type) => !BY_OTHER_MEANS.includes(type))

test('the examples of events have exactly the fields of real events', async () => {
  const shown = await examples()
  assert.deepEqual([...shown.keys()].sort(), [...Object.keys(EVENT_TYPES), 'test'].sort())
  const told = await happenings()
  assert.deepEqual(told.map(({ event }) => event).sort(), HAPPEN.toSorted())
  for (const event of told) {
    const example = shown.get(event.event)
    assert.deepEqual(Object.keys(example).sort(), Object.keys(event).sort(), event.event)
    assert.deepEqual(Object.keys(example.data).sort(), Object.keys(event.data).sort(), event.event)
  }
})

/** The program for one language: the code of the page, and a caller that prints `true` or `false`. */
const CALLERS: Readonly<
  Record<string, readonly [file: string, command: readonly string[], caller: (code: string) => string]>
> = {
  Node: [
    'hook.mjs',
    [process.execPath],
    (code) => `${code}
import { readFileSync } from 'node:fs'
const [, , secret, body, signature] = process.argv
console.log(isGenuine(secret, readFileSync(body), signature))`,
  ],
  Python: [
    'hook.py',
    ['python3'],
    (code) => `${code}
import sys
print(str(is_genuine(sys.argv[1], open(sys.argv[2], 'rb').read(), sys.argv[3])).lower())`,
  ],
  PHP: [
    'hook.php',
    ['php'],
    (code) => `${code}
echo is_genuine($argv[1], file_get_contents($argv[2]), $argv[3]) ? 'true' : 'false';`,
  ],
  Ruby: ['hook.rb', ['ruby'], (code) => `${code}\nputs genuine?(ARGV[0], File.binread(ARGV[1]), ARGV[2])`],
  Go: [
    'hook.go',
    ['go', 'run'],
    (code) => `${code.replace('package hooks', 'package main\n\nimport (\n\t"fmt"\n\t"os"\n)')}
func main() {
	body, _ := os.ReadFile(os.Args[2])
	fmt.Println(IsGenuine(os.Args[1], body, os.Args[3]))
}`,
  ],
}

for (const [language, [file, [program = '', ...args], caller]] of Object.entries(CALLERS)) {
  const isThere = spawnSync(program, [language === 'Go' ? 'version' : '--version']).status === 0
  const skip = isThere ? false : `${program} is not at hand`
  test(`the code for ${language} tells our signature from every other`, { skip }, async () => {
    const page = await readFile(path.join(GUIDES, 'webhooks.md'), 'utf8')
    const code = page.match(new RegExp(`^### ${language}\\n\`\`\`\\w+\\n([^]*?)\`\`\``, 'm'))?.[1]
    assert.ok(code !== undefined, `no code for ${language}`)
    const [, rest = ''] = page.split(`### ${language}\n`)
    const [section = ''] = rest.split(/^###? /m)
    assert.match(section, /`\$?signature`\s+is\s+`/, 'an absent header is no error')
    const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-docs-'))
    try {
      await writeFile(path.join(folder, file), caller(code))
      const body = Buffer.from('{"event":"test","message":"Grüße, 🐎"}')
      await writeFile(path.join(folder, 'body'), body)
      const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
      const signature =
        signedHeaders({ present: secret, previous: null }, 'id', body, new Date(0))['x-webhook-signature'] ?? ''
      const answers = [
        signature,
        signature.replace(/^./, (one) => (one === '0' ? '1' : '0')),
        signature.slice(2),
        '',
        'é',
      ].map((given) => {
        const ran = spawnSync(program, [...args, path.join(folder, file), secret, path.join(folder, 'body'), given])
        return `${ran.stdout}${ran.stderr}`.trim()
      })
      assert.deepEqual(answers, ['true', 'false', 'false', 'false', 'false'])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

test('the stream client that the guide shows hears events', async () => {
  const guide = await readFile(path.join(GUIDES, 'events.md'), 'utf8')
  const [, code = ''] = /^```js\n([^]*?)```/m.exec(guide) ?? []
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-docs-'))
  await writeFile(path.join(folder, 'stream.mjs'), code)
  const env = { ...process.env, POSTHORN: world.url, POSTHORN_KEY: world.account.testApiKey }
  const listener = spawn(process.execPath, [path.join(folder, 'stream.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let heard = ''
    // Sent until one is heard: the test cannot see when the stream is open.
    for (let tries = 0; tries < 600 && !/^email\.sent [0-9a-f-]{36} heard@reader\.example$/m.test(heard); tries++) {
      if (tries % 20 === 0) await world.account.testApi.post('/api/v1/send', { ...MAIL, to: 'heard@reader.example' })
      heard += listener.stdout.read()?.toString() ?? ''
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.match(heard, /^email\.sent [0-9a-f-]{36} heard@reader\.example$/m)
  } finally {
    listener.kill()
    await once(listener, 'close')
    await rm(folder, { recursive: true })
  }
})
