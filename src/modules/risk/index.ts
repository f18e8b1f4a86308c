// Risk: one engine on one set of facts, used by preview and by every send. `verdict` is pure; `gather` collects the facts.

import type { Writer } from '../../platform/db.ts'
import type { Service } from '../../platform/lifecycle.ts'
import { type ContentScorer, contentScorer, scoreContent } from '../content/index.ts'
import { disposableConfidence, isRole } from '../validation/index.ts'
import { type ContentReader, contentReader } from './content.ts'
import { type Gather, gatherer, recipientRefusalOf } from './facts.ts'
import { type Override, recordOverrides } from './overrides.ts'
import { countSent } from './volume.ts'

export type { ContentQuestion } from '../content/index.ts'
export { riskTables } from './account-tables.ts'
export { riskCommands, TRAP_PURPOSE } from './cli.ts'
export type { ContentFound } from './content.ts'
export { riskErrors } from './errors.ts'
export { gatherer, type Known, type MessageFacts, type RiskAsk, recipientRefusalOf, riskFacts } from './facts.ts'
export { eraseOverrides, type Override } from './overrides.ts'
export { countPreview, type PreviewStats, previewStats } from './stats.ts'
export {
  ENGINE_VERSION,
  LIST_CODES,
  REASON_CODES,
  type ReasonCode,
  type RiskAction,
  type RiskFactor,
  type RiskFacts,
  type RiskPolicy,
  type Verdict,
  verdict,
} from './verdict.ts'

export interface RiskRoom {
  /** What is known of recipients, in one statement for any number. @returns one answer per ask, in order */
  readonly gather: Gather
  /** The refusal of any mail to a recipient, whatever the message; null: there is none. */
  readonly recipientRefusal: ReturnType<typeof recipientRefusalOf>
  /** The score of a content; cached by content. */
  readonly content: ContentReader
  /** The engine itself, with all findings. */
  readonly score: ContentScorer['score']
  /** Adds live emails to the volume of their accounts, in the transaction that accepts them. */
  countSent(db: Writer, accepted: readonly { accountId: string; count: number }[], now: Date): Promise<void>
  recordOverrides(db: Writer, overrides: readonly Override[], now: Date): Promise<void>
  /** Loads the in-memory lists at startup so that no mail waits for them: about 100 ms, once per process. */
  readonly service: Service
}

export interface RiskOptions {
  /** A MAC for the operator's list of spam traps. */
  readonly trapMac: (text: string) => Buffer
  readonly monotonicMs: () => number
  /** Called when a content could not be scored within the limits. */
  readonly onUnscored: (error: unknown) => void
}

export function riskRoom({ trapMac, monotonicMs, onUnscored }: RiskOptions): RiskRoom {
  const scorer = contentScorer()
  const gather = gatherer({ mac: trapMac })
  return {
    gather,
    recipientRefusal: recipientRefusalOf(gather),
    content: contentReader({ score: scorer.score, monotonicMs, onUnscored }),
    score: scorer.score,
    countSent,
    recordOverrides,
    service: {
      name: 'risk',
      start: async () => {
        disposableConfidence('example.com')
        isRole('someone')
        scoreContent({ subject: 'Hello', html: null, text: 'Hello' })
      },
      stop: () => scorer.close(),
    },
  }
}
