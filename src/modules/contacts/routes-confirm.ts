// The public face of a confirmation: a page that changes nothing whoever fetches it, and its button.

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
import { type Confirmer, confirmContact, type Standing, standingOf } from './confirm.ts'
import type { ContactContext } from './contacts.ts'
import { askPage, confirmedPage, laterPage, outdatedPage, stoppedPage, suspendedPage } from './pages.ts'
import type { ConfirmationToken, ConfirmationTokens } from './tokens.ts'

export interface ConfirmRoutesOptions extends ContactContext {
  readonly tokens: ConfirmationTokens
  readonly isSuspended: (accountId: string) => boolean
  readonly senderName: (accountId: string) => Promise<string>
  /** Rejects soon when the database does not answer. */
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
      summary: 'The page of a confirmation mail; it confirms nothing',
      params: Token,
      answers: ANSWERS,
      handle: ({ params }) => pageFor(options, params.token, (token) => standingOf(options, token)),
    }),
    endpoint({
      method: 'POST',
      path: PATH,
      access: null,
      tag: TAG,
      summary: 'Confirm: the button of the page',
      params: Token,
      stream: FORM_TYPES,
      bodyLimitBytes: MAX_FORM_BYTES,
      answers: ANSWERS,
      handle: async ({ params, stream, headers, ip }) => {
        await formText(stream)
        const confirmer: Confirmer = { ip, userAgent: headers['user-agent'] ?? null }
        return pageFor(options, params.token, (token) => confirmContact(options, token, confirmer))
      },
    }),
  ]
}

async function pageFor(
  options: ConfirmRoutesOptions,
  text: string,
  look: (token: ConfirmationToken) => Promise<Standing>,
): Promise<Answer> {
  const { tokens, clock, isSuspended, whileBeating } = options
  const token = tokens.read(text)
  if (token === null) return unknownLinkPage()
  if (isSuspended(token.accountId)) return suspendedPage()
  try {
    return await whileBeating(async () => {
      // An old link still says that it did its work.
      const outdated = token.endsAt <= clock.now()
      const standing = await (outdated ? standingOf(options, token) : look(token))
      if (outdated && standing.kind === 'pending') return outdatedPage()
      return answerOf(options, token, standing)
    })
  } catch (error) {
    if (isUnavailable(error) || (error instanceof ApiError && error.status === 503)) return laterPage()
    throw error
  }
}

async function answerOf(
  { senderName }: ConfirmRoutesOptions,
  { accountId }: ConfirmationToken,
  standing: Standing,
): Promise<Answer> {
  if (standing.kind === 'unknown') return unknownLinkPage()
  const about = { email: standing.email, sender: await senderName(accountId) }
  switch (standing.kind) {
    case 'pending':
      return askPage(about)
    case 'confirmed':
      return confirmedPage(about)
    case 'stopped':
      return stoppedPage(about)
  }
}
