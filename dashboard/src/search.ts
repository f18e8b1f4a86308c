/** The query of a view's URL: its filters and its position. */
export type Search = Readonly<Record<string, string | undefined>>
