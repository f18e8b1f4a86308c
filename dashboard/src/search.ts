/** What stands behind the question mark of a view's address: its filters and its place. */
export type Search = Readonly<Record<string, string | undefined>>
