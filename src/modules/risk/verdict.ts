// The verdict on one email to one recipient: a pure function of facts, the same for preview and for send.
//
// Each fact against sending is a factor with points; the score is their sum, at most 100. 0-29 allow, 30-49 warn,
// 50-69 soft_block, 70-100 block. The documented hard-block codes block whatever the sum, and so does an address on a list.
// The reason is the heaviest factor, or `risk_score_critical` when only the sum reaches 70.

export const ENGINE_VERSION = '1.1.0'

export type RiskCategory = 'recipient' | 'content' | 'sender' | 'behavior'
export type RiskLevel = 'safe' | 'low' | 'medium' | 'high'
export type RiskAction = 'allow' | 'warn' | 'soft_block' | 'block'
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical'

export const REASON_CODES = [
  'spamtrap_detected',
  'previous_complaint',
  'disposable_high_confidence',
  'sender_not_verified',
  'risk_score_critical',
  'disposable_medium_confidence',
  'previous_hard_bounce',
  'content_risk_high',
  'velocity_first_send_bulk',
  'volume_spike',
] as const
export const LIST_CODES = ['recipient_suppressed', 'recipient_unsubscribed'] as const
export type ReasonCode = (typeof REASON_CODES)[number] | (typeof LIST_CODES)[number]

/** What is known at the time of the verdict. A fact that was not looked up is null or false. */
export interface RiskFacts {
  readonly spamtrap: boolean
  /** The recipient complained about this account's mail. */
  readonly complained: boolean
  /** A hard bounce without a later delivery to the address. */
  readonly hardBounced: boolean
  /** On the suppression list for a reason not named by the fields above. */
  readonly suppressed: boolean
  readonly unsubscribed: boolean
  /** The recipient is on one of the lists, for whatever reason: never overridable. */
  readonly onList: boolean
  /** 0-1; null when the domain is not disposable. */
  readonly disposableConfidence: number | null
  readonly role: boolean
  readonly senderVerified: boolean
  /** The level of the content score; null when the content was not scored. */
  readonly contentLevel: 'low' | 'medium' | 'high' | 'critical' | null
  /** The account has had no live email accepted yet, and this one is bulk. */
  readonly firstSendBulk: boolean
  readonly volumeSpike: boolean
}

export interface RiskPolicy {
  readonly blockDisposableEmails: boolean
  readonly enforceSenderVerification: boolean
  readonly disposableConfidenceThreshold: number
  readonly plan: string
}

export interface RiskFactor {
  readonly code: string
  readonly category: RiskCategory
  readonly points: number
  readonly severity: Severity
  readonly message: string
}

export interface Verdict {
  readonly score: number
  readonly level: RiskLevel
  readonly action: RiskAction
  readonly wouldBlock: boolean
  /** Null when the action is allow. */
  readonly reasonCode: ReasonCode | null
  readonly blockReason: string | null
  /** `override_soft_block` would let the email pass. */
  readonly overridable: boolean
  readonly factors: readonly RiskFactor[]
  readonly breakdown: Readonly<Record<RiskCategory, number>>
  readonly recommendations: readonly string[]
}

interface Rule {
  readonly code: ReasonCode | 'role_address'
  readonly category: RiskCategory
  readonly severity: Severity
  readonly message: string
  readonly advice: string
  /** Blocks whatever the sum. */
  readonly hard: boolean
  /** Null when the rule does not apply. */
  readonly points: (facts: RiskFacts, policy: RiskPolicy) => number | null
}

const HIGH_DISPOSABLE_POINTS = 80
const MEDIUM_DISPOSABLE_POINTS = 40
const MEDIUM_DISPOSABLE_FROM = 0.5

// In the order of the contract: of two factors with the same points the first is the reason.
const RULES: readonly Rule[] = [
  {
    code: 'spamtrap_detected',
    category: 'recipient',
    severity: 'critical',
    message: 'The address is a known spam trap',
    advice: 'Remove the address, and find out how it came onto your list',
    hard: true,
    points: (facts) => (facts.spamtrap ? 100 : null),
  },
  {
    code: 'recipient_suppressed',
    category: 'recipient',
    severity: 'critical',
    message: 'The address is on the suppression list',
    advice: 'Remove the address from your list, or from the suppression list if it is there by mistake',
    hard: true,
    points: (facts) => (facts.suppressed ? 100 : null),
  },
  {
    code: 'recipient_unsubscribed',
    category: 'recipient',
    severity: 'critical',
    message: 'The recipient has unsubscribed',
    advice: 'Do not mail this address until the recipient subscribes again',
    hard: true,
    points: (facts) => (facts.unsubscribed ? 100 : null),
  },
  {
    code: 'previous_complaint',
    category: 'recipient',
    severity: 'critical',
    message: 'The recipient marked an earlier email as spam',
    advice: 'Remove the address: the recipient does not want this mail',
    hard: true,
    points: (facts) => (facts.complained ? 90 : null),
  },
  {
    code: 'disposable_high_confidence',
    category: 'recipient',
    severity: 'high',
    message: 'The address belongs to a disposable-mail service',
    advice: 'Ask the recipient for a permanent address',
    hard: true,
    points: ({ disposableConfidence }, policy) =>
      disposableConfidence !== null && disposableConfidence > policy.disposableConfidenceThreshold
        ? disposablePoints(HIGH_DISPOSABLE_POINTS, policy)
        : null,
  },
  {
    code: 'sender_not_verified',
    category: 'sender',
    severity: 'high',
    message: 'The sending domain is not verified',
    advice: 'Publish the DNS records of the domain and verify it',
    hard: true,
    points: ({ senderVerified }, policy) => (senderVerified ? null : policy.enforceSenderVerification ? 75 : 15),
  },
  {
    code: 'previous_hard_bounce',
    category: 'recipient',
    severity: 'high',
    message: 'An earlier email to the address hard-bounced',
    advice: 'Remove the address, or check it before mailing it again',
    hard: false,
    points: (facts) => (facts.hardBounced ? 55 : null),
  },
  {
    code: 'content_risk_high',
    category: 'content',
    severity: 'high',
    message: 'The content looks like spam',
    advice: 'Fix the findings of the content check, starting with the heaviest',
    hard: false,
    points: ({ contentLevel }) => (contentLevel === 'critical' ? 55 : contentLevel === 'high' ? 35 : null),
  },
  {
    code: 'disposable_medium_confidence',
    category: 'recipient',
    severity: 'medium',
    message: 'The address may belong to a disposable-mail service',
    advice: 'Ask the recipient for a permanent address',
    hard: false,
    points: ({ disposableConfidence }, policy) =>
      disposableConfidence !== null &&
      disposableConfidence >= MEDIUM_DISPOSABLE_FROM &&
      disposableConfidence <= policy.disposableConfidenceThreshold
        ? disposablePoints(MEDIUM_DISPOSABLE_POINTS, policy)
        : null,
  },
  {
    code: 'velocity_first_send_bulk',
    category: 'behavior',
    severity: 'medium',
    message: "The account's first email is a bulk email",
    advice: 'Start with small numbers to recipients who expect the mail',
    hard: false,
    points: (facts) => (facts.firstSendBulk ? 30 : null),
  },
  {
    code: 'volume_spike',
    category: 'behavior',
    severity: 'medium',
    message: 'The account is sending much more than usual',
    advice: 'Raise the volume in steps over several days',
    hard: false,
    points: (facts) => (facts.volumeSpike ? 25 : null),
  },
  {
    code: 'role_address',
    category: 'recipient',
    severity: 'low',
    message: 'The address belongs to a role, not to a person',
    advice: 'Send role addresses only what they asked for',
    hard: false,
    points: (facts) => (facts.role ? 10 : null),
  },
]

function disposablePoints(points: number, { blockDisposableEmails }: RiskPolicy): number {
  return blockDisposableEmails ? points : 0
}

const WARN_FROM = 30
const SOFT_BLOCK_FROM = 50
const BLOCK_FROM = 70
const MAX_SCORE = 100

interface Applied {
  readonly rule: Rule
  readonly points: number
}

/** Contract section 14. */
export function verdict(facts: RiskFacts, policy: RiskPolicy): Verdict {
  const applied = RULES.flatMap((rule): Applied[] => {
    const points = rule.points(facts, policy)
    return points === null ? [] : [{ rule, points }]
  })
  const score = Math.min(MAX_SCORE, sum(applied))
  // A hard-block code to which the policy gives few or no points is listed, but does not block.
  const blocking = applied.filter(({ rule, points }) => rule.hard && points >= BLOCK_FROM)
  const action = blocking.length > 0 ? 'block' : actionOf(score)
  const heaviest = applied.reduce<Applied | null>(
    (top, next) => (top === null || next.points > top.points ? next : top),
    null,
  )
  // What put the address on a list is never overridable: it explains the block, whatever else adds to the sum.
  const isExplained = blocking.length > 0 || facts.onList
  const reasonCode = reasonOf(action, heaviest, isExplained)
  const wouldBlock = action === 'soft_block' || action === 'block'
  return {
    score,
    level: levelOf(score),
    action,
    wouldBlock,
    reasonCode,
    blockReason: wouldBlock ? blockReasonOf(reasonCode, heaviest) : null,
    overridable: action === 'soft_block' && !facts.onList,
    factors: applied.map(({ rule, points }) => ({
      code: rule.code,
      category: rule.category,
      points,
      severity: rule.severity,
      message: rule.message,
    })),
    breakdown: {
      recipient: sum(applied.filter(({ rule }) => rule.category === 'recipient')),
      content: sum(applied.filter(({ rule }) => rule.category === 'content')),
      sender: sum(applied.filter(({ rule }) => rule.category === 'sender')),
      behavior: sum(applied.filter(({ rule }) => rule.category === 'behavior')),
    },
    recommendations: applied.filter(({ points }) => points > 0).map(({ rule }) => rule.advice),
  }
}

function sum(applied: readonly Applied[]): number {
  return applied.reduce((total, { points }) => total + points, 0)
}

function actionOf(score: number): RiskAction {
  if (score >= BLOCK_FROM) return 'block'
  if (score >= SOFT_BLOCK_FROM) return 'soft_block'
  return score >= WARN_FROM ? 'warn' : 'allow'
}

function levelOf(score: number): RiskLevel {
  if (score >= BLOCK_FROM) return 'high'
  if (score >= SOFT_BLOCK_FROM) return 'medium'
  return score >= WARN_FROM ? 'low' : 'safe'
}

function reasonOf(action: RiskAction, heaviest: Applied | null, isExplained: boolean): ReasonCode | null {
  if (action === 'allow' || heaviest === null || heaviest.rule.code === 'role_address') return null
  if (action === 'block' && !isExplained && heaviest.points < BLOCK_FROM) return 'risk_score_critical'
  return heaviest.rule.code
}

function blockReasonOf(reason: ReasonCode | null, heaviest: Applied | null): string {
  if (reason === 'risk_score_critical') return 'The combined risk score reaches the blocking limit'
  return heaviest?.rule.message ?? 'The risk is too high'
}
