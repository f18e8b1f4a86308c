// What the driver and its thread say to one another.

export interface Job {
  readonly target: string
  readonly seed: number
  /** Wall clock. */
  readonly forMs: number
  /** null: the target's own seeds alone. */
  readonly corpora: string | null
  /** Inputs that once broke it. */
  readonly kept: readonly Uint8Array[]
  /** Count of inputs begun, length of the one under way; then its bytes. */
  readonly shared: SharedArrayBuffer
}

export interface Finding {
  readonly what: string
  readonly input: Uint8Array
}

export interface Told {
  readonly finding?: Finding
  readonly done?: { readonly executions: number; readonly sorts: number; readonly slowestMs: number }
}

export const SHARED_HEAD_BYTES = 8
