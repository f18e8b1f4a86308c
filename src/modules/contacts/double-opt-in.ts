// Asks a contact whether it wants mail. The mail takes the path of every send: sender rule, lists, verdict, quota. It becomes
// durable in one transaction with the contact and with the count of mails to that address. A refusal leaves nothing behind,
// and a process that dies leaves all of it or nothing.
//
// Nobody can be bombed: at most three confirmation mails a week go to one address, over all accounts. Past that, a new
// contact is created without a mail, and asking again is refused. A contact that unsubscribed and has since been taken off
// that list is asked again only with a new consent, once a week. Simultaneous askers wait for one another at the address's row.

import { FAULT_WORDS, parseMailbox } from '../../mail/address.ts'
import type { Db } from '../../platform/db.ts'
import { ApiError, type FieldFault, validationError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { isUuid } from '../../platform/ids.ts'
import { languageOf } from '../../platform/languages.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type Sending, sandboxResultOf, type Templates } from '../sending/index.ts'
import { builtInEmail, type ConfirmationEmail, oneLine, templateEmail } from './confirmation-email.ts'
import {
  addContact,
  type ContactContext,
  type NewContact,
  type PersonErasing,
  readContact,
  type SenderOf,
} from './contacts.ts'
import { errors } from './errors.ts'
import * as limits from './limits.ts'
import * as sql from './sql.ts'
import type { ConfirmationTokens } from './tokens.ts'

export interface OptInContext extends ContactContext, PersonErasing {
  readonly secrets: Secrets
  readonly tokens: ConfirmationTokens
  readonly publicUrl: string
  readonly sending: Pick<Sending, 'sendWith'>
  readonly templates: Pick<Templates, 'get' | 'preview'>
  /** True when the instance delivers no mail. */
  readonly sandboxed: boolean
  readonly senderOf: SenderOf
  /** The account's oldest usable domain; null when it has none. */
  readonly oldestUsable: (accountId: string) => Promise<{ readonly name: string } | null>
}

/** The address has received the maximum of confirmation mails. */
class EnoughMails extends ApiError {}

/**
 * @param overrideSoftBlock as on a send
 * @throws ApiError already_exists, and whatever a send throws; then no contact is created
 */
export async function createContact(
  context: OptInContext,
  principal: Principal,
  contact: NewContact,
  overrideSoftBlock: boolean,
): Promise<sql.ContactRow> {
  const { database, clock, ids } = context
  const { accountId } = principal
  const id = ids.next()
  const shown = (): Promise<sql.ContactRow> =>
    database.tenant(accountId, (db) => readContact(db, clock.now(), accountId, id))
  const withoutMail = async (): Promise<sql.ContactRow> => {
    const now = clock.now()
    const added = await database.tenant(accountId, (db) =>
      addContact(db, accountId, id, contact, { now, mailed: false }),
    )
    if (!added) throw errors.already_exists()
    return shown()
  }
  if (!contact.doubleOptIn) return withoutMail()
  if ((await database.system.one(sql.known, [accountId, contact.email])) !== null) throw errors.already_exists()
  const mail = await mailOf(context, principal, { ...contact, id, overrideSoftBlock })
  const address = addressOf(context, principal, contact.email)
  try {
    await refusePast(context, address)
    await context.sending.sendWith(principal, mail, async (db) => {
      const now = clock.now()
      if (!(await addContact(db, accountId, id, contact, { now, mailed: true }))) throw errors.already_exists()
      await takeMail(context, db, address)
    })
  } catch (error) {
    if (error instanceof EnoughMails) return withoutMail()
    throw error
  }
  return shown()
}

/** The new consent for a contact that unsubscribed. */
export type RenewedConsent = Pick<NewContact, 'consent' | 'sender' | 'templateId'> & { readonly source: string }

export interface AskAgain {
  /** Null for a pending contact; otherwise for one that unsubscribed and is on no list any more. */
  readonly proof: RenewedConsent | null
  /** As on a send. */
  readonly overrideSoftBlock: boolean
}

/**
 * Asks again.
 *
 * @throws ApiError not_found, invalid_state, rate_limit_exceeded, and whatever a send throws
 */
export async function resendConfirmation(
  context: OptInContext,
  principal: Principal,
  id: string,
  { proof, overrideSoftBlock }: AskAgain,
): Promise<sql.ContactRow> {
  const { database, clock } = context
  const { accountId } = principal
  const read = (): Promise<sql.ContactRow> =>
    database.tenant(accountId, (db) => readContact(db, clock.now(), accountId, id))
  const contact = await read()
  const asked = { ...contact, overrideSoftBlock }
  await (proof === null ? resend(context, principal, asked) : askBack(context, principal, asked, proof))
  return read()
}

type AskedAgain = sql.ContactRow & Pick<AskAgain, 'overrideSoftBlock'>

async function resend(context: OptInContext, principal: Principal, contact: AskedAgain): Promise<void> {
  const { clock } = context
  const { accountId } = principal
  const { id } = contact
  refuseResend(contact, clock.now())
  const mail = await mailOf(context, principal, { ...contact, templateId: contact.template_id })
  const address = addressOf(context, principal, contact.email)
  await refusePast(context, address)
  const alongside = async (db: Db): Promise<void> => {
    await db.execute(sql.adding, [accountId])
    const now = clock.now()
    const before = new Date(now.getTime() - limits.RESEND_EVERY_MS)
    const counted = await db.one(sql.countResend, [accountId, id, now, before, limits.MAX_RESENDS])
    if (counted === null) {
      // Another request was faster: the row says what is wrong now.
      refuseResend(await readContact(db, now, accountId, id), now)
      throw errors.invalid_state()
    }
    await takeMail(context, db, address)
  }
  await context.sending.sendWith(principal, mail, alongside)
}

async function askBack(
  context: OptInContext,
  principal: Principal,
  contact: AskedAgain,
  { source, consent, sender, templateId }: RenewedConsent,
): Promise<void> {
  const { clock } = context
  const { accountId } = principal
  const { id, email } = contact
  // Taken before the link is written: links hold whole seconds, and this one must count as written at this asking.
  const now = clock.now()
  refuseAskBack(contact, now)
  const mail = await mailOf(context, principal, { ...contact, sender, templateId })
  const address = addressOf(context, principal, email)
  await refusePast(context, address)
  const alongside = async (db: Db): Promise<void> => {
    await db.execute(sql.adding, [accountId])
    const before = new Date(now.getTime() - limits.ASK_BACK_EVERY_MS)
    const proof = [source, consent.sourceUrl, consent.text, consent.at, sender, templateId]
    const asked = await db.one(sql.askBack, [accountId, id, now, before, ...proof, JSON.stringify(earlier(contact))])
    // Another request was faster.
    if (asked === null) throw errors.invalid_state()
    await takeMail(context, db, address)
  }
  await context.sending.sendWith(principal, mail, alongside)
}

function refuseAskBack(contact: sql.ContactRow, now: Date): void {
  const { status, asked_back_at: last, earlier_consents: before, unsubscribed_at: left } = contact
  const since = contact.confirmed_at ?? contact.created_at
  if (status !== 'subscribed' || left === null || left < since) throw errors.invalid_state({ status })
  if (before.length >= limits.MAX_EARLIER_CONSENTS) {
    throw errors.rate_limit_exceeded({ limit: limits.MAX_EARLIER_CONSENTS, window_seconds: null, retry_after: null })
  }
  refuseWithin(limits.ASK_BACK_EVERY_MS, last, now)
}

function earlier(contact: sql.ContactRow): sql.EarlierConsent {
  return {
    source: contact.source,
    source_url: contact.source_url,
    consent_text: contact.consent_text,
    timestamp: contact.consent_at?.toISOString() ?? null,
    confirmed_at: contact.confirmed_at?.toISOString() ?? null,
    confirmed_ip: contact.confirmed_ip,
    confirmed_user_agent: contact.confirmed_user_agent,
    unsubscribed_at: contact.unsubscribed_at?.toISOString() ?? null,
  }
}

function refuseResend({ status, resends, resent_at: last }: sql.ContactRow, now: Date): void {
  if (status !== 'pending_confirmation') throw errors.invalid_state({ status })
  if (resends >= limits.MAX_RESENDS) {
    // Waiting does not help, so there is no Retry-After.
    throw errors.rate_limit_exceeded({ limit: limits.MAX_RESENDS, window_seconds: null, retry_after: null })
  }
  refuseWithin(limits.RESEND_EVERY_MS, last, now)
}

/** A time that lies ahead was written under a clock that has since been put back, and refuses nothing. */
function refuseWithin(windowMs: number, last: Date | null, now: Date): void {
  if (last === null) return
  const elapsedMs = now.getTime() - last.getTime()
  if (elapsedMs >= -limits.SKEW_MS && elapsedMs < windowMs) throw tooSoon(1, windowMs, last, now)
}

function tooSoon(limit: number, windowMs: number, since: Date, now: Date): ApiError {
  const retryAfter = Math.max(1, Math.ceil((since.getTime() + windowMs - now.getTime()) / 1_000))
  const details = { limit, window_seconds: windowMs / 1_000, retry_after: retryAfter }
  return errors.rate_limit_exceeded(details, { retryAfter })
}

interface LimitedAddress {
  readonly hash: Buffer
  readonly sandbox: boolean
}

function addressOf({ secrets, sandboxed }: OptInContext, { mode }: Principal, email: string): LimitedAddress {
  const sandbox = sandboxed || mode === 'sandbox' || sandboxResultOf(email) !== null
  return { hash: secrets.mac('confirmation address', email), sandbox }
}

/** An early check, so that a mail that will be refused is not judged and written first. */
async function refusePast({ database, clock }: OptInContext, { hash, sandbox }: LimitedAddress): Promise<void> {
  const now = clock.now()
  const since = new Date(now.getTime() - limits.MAILS_COUNT_MS)
  const mails = await database.system.query<{ sent_at: Date }>(sql.recentMails, [hash, sandbox, since, now])
  const [oldest] = mails
  if (mails.length >= limits.MAX_MAILS_AN_ADDRESS && oldest !== undefined) throw enough(oldest.sent_at, now)
}

async function takeMail({ clock }: OptInContext, db: Db, { hash, sandbox }: LimitedAddress): Promise<void> {
  const now = clock.now()
  const since = new Date(now.getTime() - limits.MAILS_COUNT_MS)
  if ((await db.one(sql.takeMail, [hash, sandbox, now, since, limits.MAX_MAILS_AN_ADDRESS])) === null) {
    throw enough(now, now)
  }
}

function enough(oldest: Date, now: Date): EnoughMails {
  const { status, code, message, details, retryAfter } = tooSoon(
    limits.MAX_MAILS_AN_ADDRESS,
    limits.MAILS_COUNT_MS,
    oldest,
    now,
  )
  return new EnoughMails(status, code, message, { details, ...(retryAfter !== null && { retryAfter }) })
}

interface Asked {
  readonly id: string
  readonly email: string
  readonly address: string
  readonly name: string | null
  readonly sender: string | null
  readonly templateId: string | null
  readonly overrideSoftBlock: boolean
}

/** Faults in a new contact's body that would stop its confirmation mail, whether or not one is sent now. */
export async function optInFaults(
  { templates }: OptInContext,
  accountId: string,
  body: unknown,
): Promise<FieldFault[]> {
  const { from, template_id: templateId } = (body ?? {}) as Readonly<Record<string, unknown>>
  const sender = typeof from === 'string' ? parseMailbox(from) : null
  const faults: FieldFault[] = []
  if (sender?.ok === false) {
    faults.push({
      field: 'from',
      rule: 'email',
      message: `is not an address that can send: ${FAULT_WORDS[sender.reason]}`,
    })
  }
  if (typeof templateId !== 'string' || !isUuid(templateId)) return faults
  await templates.get(accountId, templateId).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    faults.push(NO_TEMPLATE)
  })
  return faults
}

const NO_TEMPLATE: FieldFault = {
  field: 'template_id',
  rule: 'exists',
  message: 'is not a template of this account',
}

/** The body of the send. Tracking is off: a tracked link is useless here, and a reader being asked must not be watched. */
async function mailOf(context: OptInContext, { accountId }: Principal, asked: Asked): Promise<object> {
  const { clock, tokens, publicUrl } = context
  const endsAt = new Date(clock.now().getTime() + limits.LINK_LIVES_MS)
  const link = `${publicUrl}/confirm/${tokens.write({ accountId, contactId: asked.id, endsAt })}`
  const { name, locale } = await context.senderOf(accountId)
  const sender = oneLine(name)
  const letter =
    asked.templateId === null
      ? builtInEmail({ sender, link, liveDays: limits.LINK_LIVES_MS / 86_400_000, language: languageOf(locale) })
      : await filledTemplate(context, accountId, asked, { sender, link })
  return {
    ...(asked.sender === null ? await defaultSender(context, accountId, sender) : { from: asked.sender }),
    to: asked.address,
    ...letter,
    tracking_enabled: false,
    open_tracking_enabled: false,
    click_tracking_enabled: false,
    override_soft_block: asked.overrideSoftBlock,
  }
}

async function defaultSender({ oldestUsable }: OptInContext, accountId: string, name: string): Promise<object> {
  const domain = await oldestUsable(accountId)
  if (domain === null) {
    throw errors.sender_not_verified({
      risk_score: 75,
      risk_level: 'high',
      action: 'block',
      block_reason: errors.sender_not_verified.message,
      overridable: false,
      recipients: [],
    })
  }
  return { from: `no-reply@${domain.name}`, from_name: name }
}

async function filledTemplate(
  { templates }: OptInContext,
  accountId: string,
  { templateId, email, name }: Asked,
  { sender, link }: { readonly sender: string; readonly link: string },
): Promise<ConfirmationEmail> {
  const variables = { confirm_url: link, email, name, account_name: sender }
  const filled = await templates.preview(accountId, templateId ?? '', null, variables).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    throw Object.assign(validationError([NO_TEMPLATE]), { cause: error })
  })
  const { subject, html, text } = filled
  const letter = templateEmail({ subject, html, text }, link)
  if (letter !== null) return letter
  const message = 'has an html part without {{confirm_url}}'
  throw validationError([{ field: 'template_id', rule: 'confirm_url', message }])
}
