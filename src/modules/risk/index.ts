// Risk: one engine on one set of facts, asked by preview and by every send. `verdict` is pure; who calls it gathers.

export { riskErrors } from './errors.ts'
export { recipientFacts } from './facts.ts'
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
