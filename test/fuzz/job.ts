// The messages between the driver and its thread.

export interface Job {
  readonly target: string
  readonly seed: number
  /** Wall clock time. */
  readonly forMs: number
  /** null: only the target's own seeds. */
  readonly corpora: string | null
  /** Inputs that once broke the target. */
  readonly kept: readonly Uint8Array[]
  /** Number of started inputs, length of the current one; then its bytes. */
  readonly shared: SharedArrayBuffer
}

export interface Finding {
  readonly what: string
  readonly input: Uint8Array
}

export interface WorkerReport {
  readonly finding?: Finding
  readonly done?: { readonly executions: number; readonly sorts: number; readonly slowestMs: number }
}

export const SHARED_HEAD_BYTES = 8
