// A risk preview is a send that stops before anything is written: it reads the message, applies the sender rule, gathers facts
// and judges in the same way, so that its decision and code are those of a send that follows.
//
// It costs one preview credit, taken in the transaction that checks the lists and counts the outcome; a failed call costs
// nothing. Without `from` the sender is the account's oldest active domain. If there is none, the sender counts as unverified,
// even where all mail is sandbox mail: there is nobody whose mail it could be.

import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { type ApiError, validationError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { bodyValidator } from '../../platform/validation.ts'
import type { Quotas } from '../accounts/index.ts'
import { type ContentFound, countPreview, previewStats, type RiskRoom, type Verdict } from '../risk/index.ts'
import { PreviewBody } from './body.ts'
import { draftOf } from './draft.ts'
import { judge, policySnapshot, verdictSnapshot } from './recipient-verdicts.ts'
import { readSendRequest, shortened, unlessBlank } from './request.ts'
import type { Sending } from './send.ts'
import type { Incoming } from './sender.ts'

export interface PreviewOptions {
  readonly database: Database
  readonly clock: Clock
  readonly quotas: Pick<Quotas, 'consume' | 'read' | 'period'>
  readonly sending: Pick<Sending, 'incoming'>
  readonly risk: Pick<RiskRoom, 'gather'>
  /** The account's oldest active domain; null: there is none. */
  readonly oldestUsable: (db: Db, accountId: string) => Promise<{ readonly name: string } | null>
}

export interface Previews {
  /** @throws ApiError validation_error, sender_domain_not_allowed, quota_exceeded */
  preview(principal: Principal, body: unknown): Promise<object>
  stats(principal: Principal): Promise<object>
}

type Match = ContentFound['matches'][number]

/** A sender that no account can have (RFC 2606 section 2). */
const NOBODY_DOMAIN = 'sender.invalid'
const NOBODY = `nobody@${NOBODY_DOMAIN}`
const fromNobody = ({ draft }: Incoming): boolean => draft.fromDomain === NOBODY_DOMAIN
const unverified = (incoming: Incoming): Incoming => ({
  ...incoming,
  sender: { ...incoming.sender, isSandbox: () => false },
})

export function previewsOf(options: PreviewOptions): Previews {
  const { database, clock, quotas, sending, risk } = options
  const faultsOf = bodyValidator(PreviewBody)

  const read = async (principal: Principal, body: unknown): Promise<Incoming> => {
    const fields = shortened((body !== null && typeof body === 'object' ? body : {}) as Record<string, unknown>)
    const { html = null, text = null, ...rest } = fields
    const from = fields['from'] ?? (await senderOf(principal.accountId))
    const isEmpty = text === null && (html === null || (typeof html === 'string' && unlessBlank(html) === null))
    const content = isEmpty ? { html, text: '' } : { html, text }
    const { request, faults } = readSendRequest({ ...rest, from, ...content }, clock.now())
    const schemaFaults = faultsOf(body)
    const named = new Set(schemaFaults.map(({ field }) => field))
    const all = [...schemaFaults, ...faults.filter(({ field }) => !named.has(field))]
    if (request === null || all.length > 0) throw validationError(all)
    return sending.incoming(principal, draftOf(request))
  }
  const senderOf = async (accountId: string): Promise<string> => {
    const domain = await options.oldestUsable(database.system, accountId)
    return domain === null ? NOBODY : `posthorn@${domain.name}`
  }

  return {
    preview: async (principal, body) => {
      const { accountId } = principal
      const incoming = await read(principal, body)
      const isNamed = ((body as { from?: unknown }).from ?? null) !== null
      refuseForeign(incoming, isNamed)
      return database.transaction(async (db) => {
        const receipt = await quotas.consume(db, accountId, 'risk_previews', 1)
        const asks = incoming.draft.recipients.map(({ key }) => ({
          accountId,
          recipient: key,
          sandbox: incoming.sender.isSandbox(key),
        }))
        const facts = await risk.gather(db, asks, clock.now())
        const [judged] = judge(fromNobody(incoming) ? unverified(incoming) : incoming, facts).recipients
        if (judged === undefined) throw validationError([{ field: 'to', rule: 'required', message: 'is required' }])
        const { verdict } = judged
        await countPreview(db, accountId, receipt.month, verdict)
        return {
          ...verdictSnapshot(verdict),
          block_reason: verdict.blockReason,
          overridable: verdict.overridable,
          recommendations: [...verdict.recommendations, ...contentAdvice(verdict, incoming)],
          ...policySnapshot(incoming.sender.policy),
          quota: {
            used: receipt.used,
            limit: receipt.limit,
            remaining: receipt.remaining,
            reset_at: quotas.period().resetAt.toISOString(),
          },
        }
      })
    },
    stats: async ({ accountId }) => {
      const { month, resetAt } = quotas.period()
      const { risk_previews: usage } = await quotas.read(database.system, accountId)
      const stats = await previewStats(database.system, accountId, month)
      return {
        period: month.slice(0, 7),
        ...usage,
        reset_at: resetAt.toISOString(),
        total_previews: stats.total,
        by_action: stats.byAction,
        by_risk_level: stats.byLevel,
        top_reason_codes: stats.topReasons,
        average_score: stats.averageScore,
      }
    },
  }
}

const MAX_CONTENT_ADVICE = 3

/** Advice on the heaviest matches, if the content counts: scored without what only a send knows, it may match otherwise. */
function contentAdvice({ factors }: Verdict, { content }: Incoming): readonly string[] {
  if (!factors.some(({ code }) => code === 'content_risk_high')) return []
  const rules = new Map(content.matches.map((one) => [one.rule, one]).reverse() as [string, Match][])
  // Its match lists rules that have advice of their own here.
  rules.delete('signs_together')
  const heaviest = [...rules.values()].sort((a, b) => b.points - a.points).slice(0, MAX_CONTENT_ADVICE)
  return heaviest.map(({ description, match, suggestion }) => {
    const found = match === '' ? description : `${description} ("${match}")`
    return `${found}: ${suggestion}`
  })
}

/** A send from a named domain that the account does not own is refused before any verdict, and so is its preview. */
function refuseForeign({ draft, sender }: Incoming, isNamed: boolean): void {
  const refusal: ApiError | null = sender.refusal
  if (!isNamed || refusal === null || refusal.status !== 403) return
  if (draft.recipients.some(({ key }) => !sender.isSandbox(key))) throw refusal
}
