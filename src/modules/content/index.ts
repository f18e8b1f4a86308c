// Content: one pure engine that says what filters and readers will distrust in a mail, where it stands and what to do.

export { type ContentRoutesOptions, contentRoutes } from './routes.ts'
export { scoreContent } from './score.ts'
export type { ContentLevel, ContentQuestion, ContentScore, Match } from './types.ts'
