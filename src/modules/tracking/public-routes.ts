// The public endpoints. The token and memory hold everything that an answer needs, so these endpoints work while the
// database is down. The hit is durable before the answer (intake.ts).
//
// GET and HEAD of the unsubscribe page change nothing, so a client that follows every link of a mail unsubscribes nobody. A
// POST with neither the RFC 8058 field nor the content of the page's form changes nothing either, and gets the page again. An
// unsubscribe is heard under any name: it leads nowhere, and the name of a mail's links may have become another account's.

import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { PlainCall } from '../../platform/http/endpoint.ts'
import {
  type AnyEndpoint,
  type Call,
  endpoint,
  FORM_TYPES,
  formText,
  MAX_FORM_BYTES,
  raw,
  typed,
  unknownLinkPage,
} from '../../platform/http.ts'
import { acceptedLanguage, type Language, languageOf } from '../../platform/languages.ts'
import type { AccountSettings } from '../accounts/index.ts'
import { isPrefetch } from './clients.ts'
import {
  CLICK_PATH,
  hitOf,
  type LinkOptions,
  type LinkVisitor,
  linkAnswers,
  OPEN_PATH,
  wholeAnswer,
} from './link-answers.ts'
import { type About, confirmPage, donePage, stoppedLinkPage } from './pages.ts'
import { challenge } from './sql-tracking-domains.ts'
import { unsubscribeRequestOf } from './unsubscribe-form.ts'

/** The account's name as its recipients know it, and the locale of its pages. */
export type Sender = Pick<AccountSettings, 'name' | 'locale'>

export interface PublicRouteOptions extends LinkOptions {
  /** Null when it cannot be looked up at the moment. */
  readonly senderOf: (accountId: string) => Promise<Sender | null>
}

const CHALLENGE = /^[A-Za-z0-9_-]{1,256}$/
type Headers = Call<unknown, unknown, unknown>['headers']
const TAG = 'Public tracking'
const Token = Type.Object({ token: Type.String() })
const Html = typed('text/html')

/** Answers a CA's challenge (RFC 8555 section 8.3) from the database, since any machine may have started the order. */
export function challengeRoute({
  database,
  clock,
}: {
  readonly database: Database
  readonly clock: Clock
}): AnyEndpoint {
  return endpoint({
    method: 'GET',
    path: '/.well-known/acme-challenge/{token}',
    access: null,
    tag: TAG,
    operationId: 'answerCertificateChallenge',
    summary: 'Answer an ACME challenge of a certificate authority',
    params: Token,
    answers: { 200: Type.String({ description: 'Key authorization, as text/plain' }), 404: Html },
    handle: async ({ params, headers }) => {
      const { token } = params
      if (!CHALLENGE.test(token)) return unknownLinkPage(browserLanguage(headers))
      const row = await database.system.one<{ key_authorization: string }>(challenge, [token, clock.now()])
      return row === null
        ? unknownLinkPage(browserLanguage(headers))
        : raw('text/plain', row.key_authorization, { 'cache-control': 'no-store' })
    },
  })
}

export function publicRoutes(options: PublicRouteOptions): readonly AnyEndpoint[] {
  const { tokens, intake } = options
  const { opened, clicked } = linkAnswers(options)
  return [
    endpoint({
      method: 'GET',
      path: OPEN_PATH,
      anyToken: true,
      access: null,
      tag: TAG,
      operationId: 'trackOpen',
      summary: 'Record an open and return the tracking pixel',
      params: Token,
      answers: { 200: typed('image/gif', 'GIF of 43 bytes, for any token') },
      plainly: (call) => opened(call.name, plainReader(call)),
      handle: async (call) => {
        const made = opened(call.params.token, readerOf(call))
        await made.after
        return wholeAnswer(made)
      },
    }),
    endpoint({
      method: 'GET',
      path: CLICK_PATH,
      anyToken: true,
      access: null,
      tag: TAG,
      operationId: 'trackClick',
      summary: 'Record a click and redirect to the original URL',
      params: Token,
      answers: { 302: Type.Null({ description: 'Redirect to the original URL, byte for byte' }), 404: Html, 410: Html },
      plainly: (call) => {
        const answer = clicked(call.name, plainReader(call))
        return typeof answer === 'string' ? null : answer
      },
      handle: async (call) => {
        const found = clicked(call.params.token, readerOf(call))
        if (typeof found === 'string') {
          const language = browserLanguage(call.headers)
          return found === 'unknown' ? unknownLinkPage(language) : stoppedLinkPage(language)
        }
        await found.after
        return wholeAnswer(found)
      },
    }),
    endpoint({
      method: 'GET',
      path: '/track/u/{token}',
      anyToken: true,
      access: null,
      tag: TAG,
      operationId: 'getUnsubscribePage',
      summary: 'Get the unsubscribe confirmation page',
      params: Token,
      answers: { 200: Html, 404: Html },
      handle: async ({ params, headers }) => {
        const token = tokens.read('unsubscribe', params.token)
        if (token === null) return unknownLinkPage(browserLanguage(headers))
        return confirmPage(await aboutOf(options, token, headers))
      },
    }),
    endpoint({
      method: 'POST',
      path: '/track/u/{token}',
      anyToken: true,
      access: null,
      tag: TAG,
      operationId: 'unsubscribe',
      summary: 'Unsubscribe the recipient with one click (RFC 8058) or from the confirmation page',
      params: Token,
      stream: FORM_TYPES,
      bodyLimitBytes: MAX_FORM_BYTES,
      answers: { 200: Html, 400: Html, 404: Html },
      handle: async (call) => {
        const token = tokens.read('unsubscribe', call.params.token)
        const form = await formText(call.stream)
        if (token === null) return unknownLinkPage(browserLanguage(call.headers))
        const kind = unsubscribeRequestOf(form, formTypeOf(call))
        if (kind === null) return confirmPage(await aboutOf(options, token, call.headers), 400)
        await intake.take({ ...hitOf(options, readerOf(call), kind, token), recipient: token.recipient })
        return donePage(await aboutOf(options, token, call.headers))
      },
    }),
  ]
}

/** In the account's language; in the browser's when the account is unknown or cannot be looked up. */
async function aboutOf(
  { senderOf }: PublicRouteOptions,
  { accountId, recipient }: { readonly accountId: string; readonly recipient: string },
  headers: Headers,
): Promise<About> {
  const sender = await senderOf(accountId)
  const language = sender === null ? browserLanguage(headers) : languageOf(sender.locale)
  return { language, recipient, sender: sender?.name ?? null }
}

function browserLanguage(headers: Headers): Language {
  return acceptedLanguage(headers['accept-language'])
}

/** Null for JSON, which the framework also accepts but which is no form; an empty body counts as the page's form. */
function formTypeOf({ headers, stream }: Pick<Call<unknown, unknown, unknown>, 'headers' | 'stream'>): string | null {
  const type = headers['content-type'] ?? ''
  return Symbol.asyncIterator in Object(stream) || !/json/i.test(type) ? type : null
}

function plainReader({ host, userAgent, ip }: PlainCall): LinkVisitor {
  return { method: 'GET', host, userAgent, prefetch: false, ip }
}

function readerOf({
  method,
  headers,
  ip,
}: Pick<Call<unknown, unknown, unknown>, 'method' | 'headers' | 'ip'>): LinkVisitor {
  const { host, 'user-agent': userAgent } = headers
  return { method, host, userAgent, prefetch: isPrefetch(headers), ip }
}
