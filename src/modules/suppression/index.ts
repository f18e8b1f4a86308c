// The public interface of the room: the addresses an account must not mail. Suppressions are blocked by the service,
// unsubscribes were asked for by people; one check covers both. Addresses are passed as suppression keys
// (`suppressionKey` of mail/address).

import {
  type AskExpressions,
  blockedExpression,
  hasComplainedExpression,
  isUnsubscribedExpression,
  type JoinedStanding,
  joinedStanding,
  PAST_ROWS,
  refusalRows,
  unsubscribedAtExpression,
} from './sql.ts'

export { suppressionTables } from './account-tables.ts'
export { emailFaults } from './address-fields.ts'
export {
  BAD_DOMAIN_DAYS,
  type Context,
  eraseLate,
  expireSuppressions,
  type NewSuppression,
  type NewUnsubscribe,
  removeSuppression,
  resubscribe,
  type Suppressed,
  type Suppression,
  type SuppressionSource,
  suppress,
  type Unsubscribe,
  type Unsubscribed,
  type UnsubscribeSource,
  unsubscribe,
  unsubscribeByLink,
} from './entries.ts'
export {
  claimErasure,
  countCanceled,
  countErased,
  type Erasing,
  noteErasure,
  type OpenErasure,
  type RequestedErasure,
  requestErasure,
} from './erasures.ts'
export {
  mayWeSend,
  type Refusal,
  type RefusalRow,
  refusalsOf,
  type SendQuestion,
  type SuppressionReason,
} from './may-we-send.ts'
export { type SuppressionRoutesOptions, suppressionRoutes } from './routes.ts'
export { erasureRoutes } from './routes-erasures.ts'
export { type Delivered, forgetOldSoftBounces, noteDelivery, noteSoftBounce, type SoftBounce } from './soft-bounces.ts'
export type { AskExpressions } from './sql.ts'

/**
 * `mayWeSend` for a statement of another room, evaluated per row: an SQL expression of type text. It is null when nothing
 * forbids the mail, else the reason of the suppression (`manual`, `repeated_soft_bounce`, `hard_bounce`, `complaint`,
 * `spamtrap`) or `unsubscribed`. It costs two look-ups by primary key, and one more where the instance has erased
 * addresses. It reads with the rights of the surrounding statement.
 *
 * @param ask expressions of the surrounding statement (columns or parameters), never text from outside
 */
export function blockedSql(ask: AskExpressions): string {
  return blockedExpression(ask)
}

/** An SQL expression about one recipient for another room's statement: see sql.ts. */
export function isUnsubscribedSql(ask: Pick<AskExpressions, 'accountId' | 'recipient'>): string {
  return isUnsubscribedExpression(ask)
}

/** The verdict refuses such a recipient for ever, although no list has them: see sql.ts. */
export function hasComplainedSql(ask: Pick<AskExpressions, 'accountId' | 'recipient'>): string {
  return hasComplainedExpression(ask)
}

export function unsubscribedAtSql(ask: Pick<AskExpressions, 'accountId' | 'recipient'>): string {
  return unsubscribedAtExpression(ask)
}

/**
 * What the three above say, for a statement that asks it about all recipients of an account: the planner joins the tables
 * once. A look-up for each of 200,000 took it 7 s.
 */
export function standingSql(ask: Omit<AskExpressions, 'sandbox'>): JoinedStanding {
  return joinedStanding(ask)
}

/**
 * `mayWeSend` and past suppressions, as part of another room's statement: a union of selects of (n int, list text,
 * reason text, source text, id uuid, created_at timestamptz). `list` is `suppression` or `unsubscribe` (`refusalsOf` reads
 * these rows), or `past`: a hard bounce or a complaint (`reason`) whose entry was removed by hand. A past hard bounce is
 * forgotten once mail is delivered to the address.
 *
 * @param now an expression of type timestamptz; the statement has a table `ask (account_id, email, sandbox, n)`
 */
export function recipientRowsSql(now: string): string {
  return `${refusalRows(now)}
   union all
   ${PAST_ROWS}`
}
