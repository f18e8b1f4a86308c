// Branded links as their owner and their readers see them: a name is verified in BIND, pebble issues its certificate and
// renews it while it rejects some nonces and is down for a time, and two machines over one PostgreSQL share it. Chromium
// reads a mail. A scanner requests every URL of many mails.

import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as plainRequest, type Server } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { AxeBuilder } from '@axe-core/playwright'
import * as x509 from '@peculiar/x509'
import { type Browser, chromium } from 'playwright-core'
import { type Bind, startBind, txt } from './bind.ts'
import { freePort, scratch, waitFor } from './fixture.ts'
import { type Pebble, startPebble } from './pebble.ts'
import { startPostgres } from './postgres.ts'
import { type Posthorn, type Reply, startPosthorn } from './posthorn.ts'

const LIFE_SECONDS = 45
const BAD_NONCES = 20
const SCANNED_MAILS = 1_000
const SCANS_AT_ONCE = 16
const LINKS = 5
const DESKTOP =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const PLACE = '/api/v1/customer/tracking-domains'
const APP = 'app.posthorn.test'
const LINKS_NAME = 'links.shop.test'

describe('branded links', () => {
  const stack = new AsyncDisposableStack()
  let bind: Bind
  let pebble: Pebble
  let landing: Server
  let a: Posthorn

  let key = ''
  let root = ''
  let browser: Browser
  let securePorts: readonly number[] = []
  let records: readonly string[] = []
  let nameId = ''

  const call = (method: string, where: string, body?: unknown): Promise<Reply> => a.call(key, method, where, body)
  const landingUrl = (what: string): string => `http://127.0.0.1:${(landing.address() as AddressInfo).port}/${what}`
  /** Serial number of the certificate served for a name, trusting only the CA; null: the handshake fails. */
  const served = async (port: number, servername: string): Promise<string | null> => {
    const socket = connect({ host: '127.0.0.1', port, servername, ca: root })
    try {
      await once(socket, 'secureConnect')
      return socket.getPeerCertificate().serialNumber
    } catch {
      return null
    } finally {
      socket.destroy()
    }
  }

  before(async () => {
    const folder = stack.use(await scratch('tracking')).path
    const postgres = stack.use(await startPostgres(folder))
    bind = stack.use(
      await startBind(folder, {
        'posthorn.test': ['app A 127.0.0.1', 'mail A 127.0.0.1', '*.mail A 127.0.0.1'],
        'shop.test': [],
      }),
    )
    const httpPort = await freePort()
    const [secureA, secureB] = [await freePort(), await freePort()]
    securePorts = [secureA, secureB]
    pebble = stack.use(await startPebble({ folder, httpPort, lifeSeconds: LIFE_SECONDS, badNonces: BAD_NONCES }))
    root = await pebble.root()
    landing = createServer((_, answer) => {
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<title>Landed</title><h1>Landed</h1>')
    }).listen(0, '127.0.0.1')
    stack.defer(() => void landing.close())
    const shared = {
      DATABASE_URL: postgres.url,
      POSTHORN_SECRET_KEY: 'a secret key that both machines have in common',
      POSTHORN_HOSTNAME: 'mail.posthorn.test',
      POSTHORN_PUBLIC_URL: `https://${APP}:${secureA}`,
      POSTHORN_DNS_SERVERS: bind.server,
      POSTHORN_ACME_DIRECTORY: pebble.directory,
      POSTHORN_ACME_CA_FILE: pebble.caFile,
      POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTHORN_RATE_LIMITS: 'off',
      POSTHORN_LOG_LEVEL: 'error',
    }
    // Machine a answers for names and delivers, b orders certificates: they exchange everything through the database.
    a = stack.use(
      await startPosthorn(`${folder}/a`, {
        ...shared,
        POSTHORN_HTTP_PORT: String(httpPort),
        POSTHORN_HTTPS_PORT: String(secureA),
        POSTHORN_ROLES: 'api,tracking,submission,mx,delivery',
      }),
    )
    stack.use(
      await startPosthorn(`${folder}/b`, {
        ...shared,
        POSTHORN_HTTPS_PORT: String(secureB),
        POSTHORN_ROLES: 'tracking,worker',
      }),
    )
    key = (await a.account('Shop & <b>Sons</b>')).api_key
  })
  after(() => stack.disposeAsync())

  test("the public URL's host has a certificate of the CA, and an unknown name gets none", async () => {
    await waitFor('the certificate', async () => (await served(securePorts[0] ?? 0, APP)) !== null)
    const unknown = ['nobody.shop.test', LINKS_NAME, 'mail.posthorn.test.evil.test']
    for (const name of unknown) for (const port of securePorts) assert.equal(await served(port, name), null)
    const made = await call('POST', PLACE, { domain: LINKS_NAME })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    nameId = made.body.id
    const target = made.body.cname_target ?? made.body.verification.expected
    records = [`links CNAME ${target}.`]
    // The name stays pending through handshakes that ask for it and a verify that finds nothing.
    assert.equal((await call('POST', `${PLACE}/${nameId}/verify`)).body.verified, false)
    for (let i = 0; i < 20; i++) assert.equal(await served(securePorts[0] ?? 0, LINKS_NAME), null)
    await delay(6_000)
    assert.deepEqual([...new Set(pebble.ordered)], [APP])
  })

  test('a verified name gets its certificate after the CA was down and forgot the account; both machines serve it', async () => {
    const made = await call('POST', '/api/v1/customer/domains', { domain: 'shop.test' })
    const domain = `/api/v1/customer/domains/${made.body.data.id}`
    const dns = await call('GET', `${domain}/dns`)
    const own = (dns.body.dns_records as { host: string; value: string }[]).map(({ host, value }) => txt(host, value))
    await bind.publish('shop.test', [...own, ...records])
    await waitFor('the domain', async () => (await call('POST', `${domain}/verify`)).body.verified === true)
    const settings = { tracking_enabled: true, tracking_domain_id: nameId, unsubscribe_header_enabled: true }
    assert.equal((await call('PATCH', domain, settings)).status, 200)

    pebble.shut = true
    const verified = await call('POST', `${PLACE}/${nameId}/verify`)
    assert.deepEqual(
      [verified.body.verified, verified.body.ssl_status, verified.body.ssl_enabled],
      [true, 'pending', false],
    )
    const failed = await waitFor('the failure', async () => {
      const { body } = await call('GET', `${PLACE}/${nameId}`)
      return body.ssl_status === 'failed' ? body : null
    })
    assert.ok(pebble.turnedAway > 0 && failed.ssl_error !== null && failed.ssl_enabled === false)
    // It backs off: no further request within seconds of a failure.
    const turnedAway = pebble.turnedAway
    await delay(3_000)
    assert.equal(pebble.turnedAway, turnedAway)

    await pebble.forget()
    root += await pebble.root()
    pebble.shut = false
    await call('POST', `${PLACE}/${nameId}/verify`)
    const issued = await waitFor('the certificate', async () => {
      const { body } = await call('GET', `${PLACE}/${nameId}`)
      return body.ssl_enabled === true ? body : null
    })
    assert.deepEqual([issued.ssl_status, issued.ssl_error], ['issued', null])
    for (const port of securePorts)
      await waitFor('both machines', async () => (await served(port, LINKS_NAME)) !== null)
  })

  test('under a branded name only the public pages are answered, in cleartext and over TLS', async () => {
    const asked = async (secure: boolean, host: string, where: string): Promise<number> => {
      const port = secure ? securePorts[0] : new URL(a.url).port
      const options = {
        host: '127.0.0.1',
        port,
        path: where,
        headers: { host },
        servername: host,
        ca: root,
        agent: false,
      }
      const sent = secure ? request(options) : plainRequest(options)
      const [reply] = await once(sent.end(), 'response')
      reply.resume()
      return reply.statusCode
    }
    for (const secure of [false, true]) {
      for (const where of ['/', '/login', '/docs', '/healthz', '/api/v1/emails', '/x/../api/v1/emails', '/%74rack/../'])
        assert.equal(await asked(secure, LINKS_NAME, where), 404, `${where} ${secure}`)
      assert.equal(await asked(secure, LINKS_NAME, '/track/o/x'), 200)
      // A page in cleartext redirects to the public URL over TLS.
      assert.equal(await asked(secure, APP, '/'), secure ? 200 : 302)
      assert.equal(await asked(secure, APP, '/api/v1/emails'), 401)
    }
    assert.equal(await asked(false, `${LINKS_NAME.toUpperCase()}.:80`, '/'), 404)
  })

  /** Sends mails, and returns them 2.5 s after all are delivered. */
  const mails = async (count: number, html: string): Promise<{ id: string; to: string; html: string }[]> => {
    const to = Array.from({ length: count }, (_, i) => `reader${i}-${Math.random().toString(36).slice(2)}@dest.test`)
    const ids: string[] = []
    for (let at = 0; at < count; at += 500) {
      const messages = to
        .slice(at, at + 500)
        .map((each) => ({ from: 'news@shop.test', to: each, subject: 'News', html, tag: 'peers' }))
      const { body, status } = await call('POST', '/api/v1/send/batch', { messages })
      assert.equal(status, 200, JSON.stringify(body).slice(0, 500))
      ids.push(...body.data.map((one: { data: { email_id: string } }) => one.data.email_id))
    }
    await waitFor('deliveries', async () => {
      const waiting = await call('GET', '/api/v1/emails?status=queued,deferred&limit=1')
      return waiting.body.pagination.total === 0
    })
    const found = new Map<string, string>()
    for (let offset = 0; found.size < count; offset += 1_000) {
      const { body } = await call('GET', `/api/v1/inbox?limit=1000&offset=${offset}`)
      assert.notEqual(body.data.length, 0)
      for (const mail of body.data as { email_id: string; id: string }[]) {
        if (ids.includes(mail.email_id)) found.set(mail.email_id, mail.id)
      }
    }
    const read: { id: string; to: string; html: string }[] = []
    for (const [i, id] of ids.entries()) {
      const { body } = await call('GET', `/api/v1/inbox/${found.get(id)}`)
      read.push({ id, to: to[i] ?? '', html: (body.data ?? body).html })
    }
    await delay(2_500)
    return read
  }
  const READ = ['email.opened', 'email.clicked', 'email.unsubscribed']
  /** Events of a mail's reader, once there is at least one of each kind. */
  const eventsOf = async (id: string): Promise<{ event: string; data: Record<string, unknown> }[]> =>
    waitFor('an opening, a click and an unsubscribe', async () => {
      const { body } = await call('GET', `/api/v1/emails/${id}`)
      const found = body.data.events.filter(({ event }: { event: string }) => READ.includes(event))
      return READ.every((kind) => found.some(({ event }: { event: string }) => event === kind)) ? found : null
    })

  test('a mail is opened, clicked and unsubscribed from in Chromium', async () => {
    const issuer = new X509Certificate(await pebble.intermediate()).publicKey.export({ type: 'spki', format: 'der' })
    const profile = stack.use(await scratch('chromium')).path
    const resolve = `MAP ${LINKS_NAME} 127.0.0.1`
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: '/usr/bin/chromium',
      userAgent: DESKTOP,
      args: [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
        ...['--disable-background-networking', '--disable-component-update', `--host-resolver-rules=${resolve}`],
        // Trusts only certificates of this CA.
        `--ignore-certificate-errors-spki-list=${createHash('sha256').update(issuer).digest('base64')}`,
      ],
    })
    stack.defer(() => context.close())
    const target = landingUrl('offer?a=1&b=%C3%BC#part')
    const html = `<html><head><title>News</title></head><body><p>Grüße</p><a id="offer" href="${target.replace('&', '&amp;')}">Offer</a> <a id="out" href="{{unsubscribe}}">Out</a></body></html>`
    const [mail, other] = await mails(2, html)
    assert.ok(mail && other)
    const base = `https://${LINKS_NAME}:${securePorts[0]}/track/`
    assert.equal(mail.html.split(base).length - 1, 3, mail.html)

    const page = await context.newPage()
    const pixel = page.waitForResponse((reply) => reply.url().startsWith(`${base}o/`))
    await page.setContent(mail.html)
    assert.equal((await pixel).status(), 200)
    await Promise.all([page.waitForURL(/\/offer/), page.click('#offer')])
    assert.equal(page.url(), target)
    assert.equal(await page.title(), 'Landed')

    await page.setContent(mail.html)
    await Promise.all([page.waitForURL(/\/track\/u\//), page.click('#out')])
    assert.ok((await page.content()).includes('Shop &amp; &lt;b&gt;Sons&lt;/b&gt;'))
    assert.deepEqual((await new AxeBuilder({ page }).analyze()).violations, [])
    await page.setViewportSize({ width: 320, height: 568 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual((await new AxeBuilder({ page }).analyze()).violations, [])
    await page.click('button')
    await page.waitForSelector('[role=status]')
    assert.match(await page.title(), /unsubscribed/i)
    assert.deepEqual((await new AxeBuilder({ page }).analyze()).violations, [])

    // Without script, and with the keyboard only.
    browser = stack.use(
      await chromium.launch({
        executablePath: '/usr/bin/chromium',
        args: ['--no-sandbox', `--host-resolver-rules=${resolve}`],
      }),
    )
    const plain = await browser.newContext({ javaScriptEnabled: false, userAgent: DESKTOP, ignoreHTTPSErrors: true })
    const still = await plain.newPage()
    await still.goto(/https:[^"]+\/track\/u\/[\w-]+/.exec(other.html)?.[0] ?? '')
    await still.keyboard.press('Tab')
    await Promise.all([still.waitForLoadState('load'), still.keyboard.press('Enter')])
    await still.waitForSelector('[role=status]')

    const events = await eventsOf(mail.id)
    const opened = events.filter(({ event, data }) => event === 'email.opened' && data['is_machine'] === false)
    const clicked = events.filter(({ event }) => event === 'email.clicked')
    assert.deepEqual(
      opened.map(({ data }) => data['first_open']),
      [true, ...opened.slice(1).map(() => false)],
    )
    assert.deepEqual(
      clicked.map(({ data }) => [data['url'], data['is_machine'], data['first_click'], data['client']]),
      [[target, false, true, 'Chrome']],
    )
    for (const { to } of [mail, other]) {
      const { body } = await call(
        'GET',
        `/api/v1/customer/unsubscribes?include_sandbox=true&search=${encodeURIComponent(to)}`,
      )
      assert.deepEqual(
        body.data.map((one: { email: string; source: string }) => [one.email, one.source]),
        [[to, 'link']],
      )
      const again = await call('POST', '/api/v1/send', { from: 'news@shop.test', to, subject: 's', text: 't' })
      assert.deepEqual([again.status, again.body.code], [422, 'recipient_unsubscribed'])
    }
    const figures = await waitFor('statistics', async () => {
      const { body } = await call('GET', '/api/v1/stats/outbound?include_sandbox=true')
      // Hits are judged and counted shortly after the reader's request is answered.
      const { unsubscribes, unique_opens: opens, clicks } = body.data ?? {}
      return unsubscribes >= 2 && opens >= 1 && clicks >= 1 ? body.data : null
    })
    assert.deepEqual([figures.unsubscribes, figures.unique_opens, figures.clicks, figures.unique_clicks], [2, 1, 1, 1])
  })

  test(`a scanner of all URLs of ${SCANNED_MAILS} mails, by GET and HEAD, counts as a bot and unsubscribes nobody`, async (t) => {
    const links = Array.from({ length: LINKS }, (_, i) => `<a href="${landingUrl(`scan/${i}`)}">${i}</a>`).join('')
    const scanned = await mails(SCANNED_MAILS, `<body>${links}<a href="{{unsubscribe}}">out</a></body>`)
    const agent = new Agent({ keepAlive: true, maxSockets: SCANS_AT_ONCE, ca: root, servername: LINKS_NAME })
    const statuses = new Map<number, number>()
    const fetched = (url: string, method: string): Promise<void> =>
      new Promise((done, fail) => {
        const { pathname, port } = new URL(url)
        const asked = request(
          {
            host: '127.0.0.1',
            port,
            path: pathname,
            method,
            agent,
            headers: { host: LINKS_NAME, 'user-agent': DESKTOP },
          },
          (reply) => {
            statuses.set(reply.statusCode ?? 0, (statuses.get(reply.statusCode ?? 0) ?? 0) + 1)
            reply.resume().on('end', () => done())
          },
        )
        asked.on('error', fail)
        asked.end()
      })
    const rest = [...scanned]
    const began = performance.now()
    const scanner = async (): Promise<void> => {
      for (let mail = rest.shift(); mail !== undefined; mail = rest.shift()) {
        const urls = mail.html.match(/https:[^"]+\/track\/[ocu]\/[\w-]+/g) ?? []
        assert.equal(urls.length, LINKS + 2)
        await Promise.all(urls.flatMap((url) => [fetched(url, 'GET'), fetched(url, 'HEAD')]))
      }
    }
    await Promise.all(Array.from({ length: SCANS_AT_ONCE / 8 }, scanner))
    agent.destroy()
    const seconds = (performance.now() - began) / 1_000
    t.diagnostic(`${[...statuses.values()].reduce((x, y) => x + y, 0)} requests in ${seconds.toFixed(1)} s`)
    assert.deepEqual([...statuses].sort(), [
      [200, SCANNED_MAILS * 4],
      [302, SCANNED_MAILS * LINKS * 2],
    ])
    const clicks = (await waitFor(
      'every click',
      async () => {
        const { body } = await call(
          'GET',
          '/api/v1/stats/outbound/clicks?include_sandbox=true&include_machine=true&tag=peers',
        )
        return body.totals?.bot_clicks === SCANNED_MAILS * LINKS * 2 ? body.totals : null
      },
      45_000,
    )) as { unique_clicks: number }
    t.diagnostic(JSON.stringify(clicks))
    const human = (await call('GET', '/api/v1/stats/outbound/clicks?include_sandbox=true&tag=peers')).body.totals
    assert.equal(human.clicks, 1, 'the one of the browser')
    const { body } = await call('GET', '/api/v1/customer/unsubscribes?include_sandbox=true')
    assert.equal(body.pagination.total, 2, 'the two of the browser')
  })

  test('the certificate is renewed at two thirds of its life, with one in five nonces rejected', async (t) => {
    const first = (await call('GET', `${PLACE}/${nameId}`)).body
    const serial = await served(securePorts[0] ?? 0, LINKS_NAME)
    const renewed = await waitFor(
      'the renewal',
      async () => {
        const { body } = await call('GET', `${PLACE}/${nameId}`)
        return body.ssl_expires_at > first.ssl_expires_at ? body : null
      },
      LIFE_SECONDS * 1_000,
    )
    assert.deepEqual([renewed.ssl_status, renewed.ssl_error], ['issued', null])
    for (const port of securePorts) {
      await waitFor('the new one', async () => {
        const now = await served(port, LINKS_NAME)
        return now !== null && now !== serial
      })
    }
    t.diagnostic(`faults of the CA: ${JSON.stringify([...pebble.faults])}`)
    assert.ok((pebble.faults.get('urn:ietf:params:acme:error:badNonce') ?? 0) > 0)
    assert.deepEqual(new Set(pebble.ordered), new Set([APP, LINKS_NAME]))
  })

  test('the CA wants certificates renewed: the next order comes at half of the life, and names the one that it replaces', async () => {
    pebble.wantsRenewed = true
    const seen = new Map<string, string>()
    const replaced = await waitFor(
      'the order',
      async () => {
        const socket = connect({ host: '127.0.0.1', port: securePorts[0] ?? 0, servername: LINKS_NAME, ca: root })
        await once(socket, 'secureConnect')
        const { raw, serialNumber } = socket.getPeerCertificate()
        socket.destroy()
        seen.set(identifierOf(raw), serialNumber)
        return pebble.replaced.find((one) => seen.has(one)) ?? null
      },
      2 * LIFE_SECONDS * 1_000,
    )
    await waitFor('the new one', async () => {
      const now = await served(securePorts[0] ?? 0, LINKS_NAME)
      return now !== null && now !== seen.get(replaced)
    })
    const { body } = await call('GET', `${PLACE}/${nameId}`)
    assert.deepEqual([body.ssl_status, body.ssl_error], ['issued', null])
  })
})

/** RFC 9773 section 4.1, by the serial number that Node gives without the zero that keeps it positive. */
function identifierOf(certificate: Buffer): string {
  const { serialNumber } = new X509Certificate(certificate)
  const hex = `0${serialNumber}`.slice(serialNumber.length % 2 === 0 ? 1 : 0)
  const serial = Buffer.from(Number.parseInt(hex.slice(0, 2), 16) < 128 ? hex : `00${hex}`, 'hex')
  const key = new x509.X509Certificate(certificate).getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId
  assert.ok(key !== undefined)
  return `${Buffer.from(key, 'hex').toString('base64url')}.${serial.toString('base64url')}`
}
