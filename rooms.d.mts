export interface Room {
  readonly name: string
  /** A room enters rooms of lower floors alone. */
  readonly floor: number
  readonly owns: string
  /** Names of the rooms whose index.ts it may import. */
  readonly enters: readonly string[]
}

export declare const ROOMS: readonly Room[]
export declare const MAIL_MAY_SEE: readonly string[]
export declare const TOOLS: readonly {
  readonly name: string
  readonly packages: readonly string[]
  readonly files: readonly string[]
}[]
