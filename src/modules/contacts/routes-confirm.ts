// The public endpoints of a confirmation: a page that changes nothing when fetched, and its button.

import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { isUnavailable } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import {
  type Answer,
  type AnyEndpoint,
  endpoint,
  FORM_TYPES,
  formText,
  MAX_FORM_BYTES,
  typed,
  unknownLinkPage,
} from '../../platform/http.ts'
import { acceptedLanguage, languageOf } from '../../platform/languages.ts'
import { type ConfirmationState, type Confirmer, confirmationStateOf, confirmContact } from './confirm.ts'
import type { ContactContext, SenderOf } from './contacts.ts'
import { askPage, confirmedPage, laterPage, outdatedPage, stoppedPage, suspendedPage } from './pages.ts'
import type { ConfirmationToken, ConfirmationTokens } from './tokens.ts'

export interface ConfirmRoutesOptions extends ContactContext {
  readonly tokens: ConfirmationTokens
  readonly isSuspended: (accountId: string) => boolean
  readonly senderOf: SenderOf
  /** Rejects quickly when the database does not answer. */
  readonly whileBeating: <T>(work: () => Promise<T>) => Promise<T>
}

const PATH = '/confirm/{token}'
const TAG = 'Contacts'
const Token = Type.Object({ token: Type.String() })
const Html = typed('text/html')
const ANSWERS = { 200: Html, 404: Html, 409: Html, 410: Html, 503: Html }

export function confirmRoutes(options: ConfirmRoutesOptions): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      access: null,
      tag: TAG,
      operationId: 'getConfirmationPage',
      summary: 'Get the confirmation page that a confirmation email links to. Opening it confirms nothing.',
      params: Token,
      anyToken: true,
      answers: ANSWERS,
      handle: ({ params, headers }) =>
        pageFor(options, params.token, headers, (token) => confirmationStateOf(options, token)),
    }),
    endpoint({
      method: 'POST',
      path: PATH,
      access: null,
      tag: TAG,
      operationId: 'confirmContact',
      summary: 'Confirm the contact with the button of the confirmation page',
      params: Token,
      anyToken: true,
      stream: FORM_TYPES,
      bodyLimitBytes: MAX_FORM_BYTES,
      answers: ANSWERS,
      handle: async ({ params, stream, headers, ip }) => {
        await formText(stream)
        const confirmer: Confirmer = { ip, userAgent: headers['user-agent'] ?? null }
        return pageFor(options, params.token, headers, (token) => confirmContact(options, token, confirmer))
      },
    }),
  ]
}

/** In the account's language, or the browser's when the link's account is unknown or cannot be looked up now. */
async function pageFor(
  options: ConfirmRoutesOptions,
  text: string,
  headers: IncomingHttpHeaders,
  look: (token: ConfirmationToken) => Promise<ConfirmationState>,
): Promise<Answer> {
  const { tokens, clock, isSuspended, senderOf, whileBeating } = options
  const browserLanguage = acceptedLanguage(headers['accept-language'])
  const token = tokens.read(text)
  if (token === null) return unknownLinkPage(browserLanguage)
  try {
    return await whileBeating(async () => {
      const { name, locale } = await senderOf(token.accountId)
      const language = languageOf(locale)
      if (isSuspended(token.accountId)) return suspendedPage(language)
      // An expired link still shows that it was used.
      const outdated = token.endsAt <= clock.now()
      const standing = await (outdated ? confirmationStateOf(options, token) : look(token))
      if (standing.kind === 'unknown') return unknownLinkPage(browserLanguage)
      if (outdated && standing.kind === 'pending') return outdatedPage(language)
      const about = { language, email: standing.email, sender: name }
      switch (standing.kind) {
        case 'pending':
          return askPage(about)
        case 'confirmed':
          return confirmedPage(about)
        case 'stopped':
          return stoppedPage(about)
      }
    })
  } catch (error) {
    if (isUnavailable(error) || (error instanceof ApiError && error.status === 503)) return laterPage(browserLanguage)
    throw error
  }
}
