// The clients. Each submits its own mails over REST or SMTP, one after another, and repeats a mail with its idempotency key
// until it gets an answer. Half of the SMTP clients use no key: they do not repeat a mail that got no answer.
//
// Ledger: `ask` before the first try of a mail; `try` for each temporary refusal or missing answer, with its duration; `ok`
// when the mail was accepted, with the status of each recipient; `no` when it was refused permanently; `lost` when the
// client gave up without an answer.

import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { act } from './actor.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Ledger } from './ledger.ts'
import { SmtpClient } from './smtp.ts'

export interface Customer {
  readonly name: string
  readonly key: string
  readonly username: string
  readonly password: string
}

interface Settings {
  readonly ledger: string
  readonly seed: number
  /** Part of every id. */
  readonly run: string
  /** The API of each machine; a client that gets no answer asks the next one. */
  readonly urls: readonly string[]
  /** Submission over implicit TLS, `host:port`, of each machine. */
  readonly submissions: readonly string[]
  readonly customers: readonly Customer[]
  /** Recipient domains; each has an MX in the farm. */
  readonly domains: readonly string[]
  readonly restSenders: number
  readonly smtpSenders: number
  /** Pause between two mails of a sender. */
  readonly pauseMs: number
  /** Share of mails whose first attempt the receiver defers. */
  readonly later: number
  /** After this time without an answer a client asks the next machine. */
  readonly answerWithinMs: number
}

const AGAIN_MS = 200
const GIVE_UP_MS = 90_000
const LEAVERS = 30
const [HARD, SLOW, LEAVE] = [0.02, 0.03, 0.02]

interface Mail {
  readonly id: string
  readonly customer: Customer
  readonly to: readonly string[]
  readonly text: string
  readonly sum: string
  readonly html: string
}

type Answer =
  | { readonly kind: 'ok'; readonly emails: readonly object[] }
  | { readonly kind: 'no' | 'busy'; readonly status: number; readonly code: string }
  | { readonly kind: 'none' }

function mailOf(id: string, { customers, domains, later }: Settings, chance: Chance): Mail {
  const recipient = (place: number): string => {
    const at = chance.pick(domains)
    const lot = chance.next()
    if (lot < LEAVE) return `leave-${chance.whole(1, LEAVERS)}@${domains[0]}`
    const kind = lot < LEAVE + HARD ? 'hard' : lot < LEAVE + HARD + SLOW ? 'slow' : lot > 1 - later ? 'later' : 'ok'
    return `${kind}-${place}-${id}@${at}`
  }
  const to = chance.next() < 0.8 ? [recipient(1)] : [recipient(1), recipient(2)]
  const lines = Array.from({ length: chance.whole(2, 60) }, () =>
    chance
      .whole(0, 2 ** 31)
      .toString(36)
      .repeat(6),
  )
  const text = lines.join('\n')
  const html = `<body><p>Hello</p><a href="https://target.test/${id}">more</a> <a href="{{unsubscribe}}">out</a></body>`
  return {
    id,
    customer: chance.pick(customers),
    to: [...new Set(to)],
    text: `BEGIN ${id}\n${text}\nEND ${id}`,
    sum: createHash('sha256').update(text).digest('base64'),
    html,
  }
}

async function overRest(url: string, withinMs: number, { id, customer, to, text, html }: Mail): Promise<Answer> {
  const body = { from: `news@${customer.name}.test`, to, subject: `mail ${id}`, text, html, tag: 'faults' }
  const reply = await fetch(`${url}/api/v1/send`, {
    method: 'POST',
    headers: { 'x-api-key': customer.key, 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(withinMs),
  })
  // biome-ignore lint/suspicious/noExplicitAny: an answer of another program
  const said: any = await reply.json()
  if (reply.status === 202) return { kind: 'ok', emails: said.data.recipients }
  const waits = reply.status === 503 || said.code === 'idempotency_in_progress'
  return { kind: waits ? 'busy' : 'no', status: reply.status, code: String(said.code) }
}

async function overSmtp(client: SmtpClient, place: string, mail: Mail, keyed: boolean): Promise<Answer> {
  const { id, customer, to, text } = mail
  const header = [
    `From: News <news@${customer.name}.test>`,
    `To: ${to.join(', ')}`,
    `Subject: mail ${id}`,
    `Message-ID: <${id}@${customer.name}.test>`,
    ...(keyed ? [`X-Idempotency-Key: ${id}`] : []),
    'Content-Type: text/plain; charset=utf-8',
  ]
  const message = `${header.join('\r\n')}\r\n\r\n${text.replaceAll('\n', '\r\n')}\r\n`
  const { code, said } = await client.send(place, customer, `news@${customer.name}.test`, to, message)
  if (code === 250) return { kind: 'ok', emails: to.map((email) => ({ email, status: 'queued', email_id: null })) }
  return { kind: code >= 400 && code < 500 ? 'busy' : 'no', status: code, code: said }
}

/** Submits one mail until it is accepted, refused or given up. */
async function hand(
  mail: Mail,
  once: boolean,
  ask: (tries: number) => Promise<Answer>,
  ledger: Ledger,
  via: string,
): Promise<void> {
  const { id, customer, to, sum } = mail
  await ledger.write({ k: 'ask', id, via, keyed: !once, account: customer.name, to, sum })
  const began = performance.now()
  for (let tries = 0; performance.now() - began < GIVE_UP_MS; tries++) {
    const asked = performance.now()
    const answer = await ask(tries).catch((): Answer => ({ kind: 'none' }))
    const ms = Math.round(performance.now() - asked)
    if (answer.kind === 'ok') return ledger.write({ k: 'ok', id, ms, emails: answer.emails })
    if (answer.kind === 'no') return ledger.write({ k: 'no', id, ms, status: answer.status, code: answer.code })
    const status = answer.kind === 'busy' ? answer.status : null
    await ledger.write({ k: 'try', id, via, ms, status })
    // Without a key the client may repeat a temporarily refused mail, but not one without an answer.
    await delay(AGAIN_MS)
    if (once && status === null) return ledger.write({ k: 'lost', id })
  }
  await ledger.write({ k: 'lost', id })
}

await act<Settings>(async (settings, ledger) => {
  let running = true
  const senders = [
    ...Array.from({ length: settings.restSenders }, (_, at) => ({ via: 'rest', at })),
    ...Array.from({ length: settings.smtpSenders }, (_, at) => ({ via: 'smtp', at })),
  ]
  const loops = senders.map(async ({ via, at }, place) => {
    const chance = chanceOf(settings.seed + place)
    const client = new SmtpClient(settings.answerWithinMs)
    const once = via === 'smtp' && at % 2 === 0
    for (let n = 0; running; n++) {
      const mail = mailOf(`${settings.run}-${via}${at}-${n}`, settings, chance)
      const ask = (tries: number): Promise<Answer> => {
        const machine = (place + tries) % settings.urls.length
        if (via === 'rest') return overRest(settings.urls[machine] ?? '', settings.answerWithinMs, mail)
        return overSmtp(client, settings.submissions[machine] ?? '', mail, !once)
      }
      await hand(mail, once, ask, ledger, via)
      if (settings.pauseMs > 0) await delay(settings.pauseMs)
    }
    client.close()
  })
  return {
    stop: async () => {
      running = false
      await Promise.all(loops)
    },
  }
})
