// Content scoring: a pure engine that reports what filters and readers will distrust in a mail, where it is and what to do.

export { imitationOf } from './imitation.ts'
export { type ContentRoutesOptions, contentRoutes } from './routes.ts'
export { CONTENT_VERSION, scoreContent } from './score.ts'
export { type ContentScorer, contentScorer } from './scorer.ts'
export type { ContentAttachment, ContentLevel, ContentQuestion, ContentScore, Match } from './types.ts'
