// Traces in OpenTelemetry's format, for operators with a collector: what an email's way cost, across processes and machines.
// Off, with none of its packages loaded, until an endpoint is set.
//
// The id of an email is the id of its trace, so code that records a span needs nothing else: the acceptance is the root, each
// attempt and each webhook a span below it. Spans hold ids, numbers and outcomes; no address, no receiving host, no content.
// A span is recorded when its work is done. Spans wait in memory, in bounded number, and go out in batches; when the collector
// does not answer they are lost, and nothing else is affected.

import { once } from 'node:events'
import type { Service } from './lifecycle.ts'
import type { Logger } from './log.ts'

export interface Span {
  readonly name: 'accept' | 'attempt' | 'webhook'
  /** The email whose trace the span belongs to. */
  readonly emailId: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

export interface Traces {
  record(span: Span): void
  readonly service: Service
}

export interface TracesOptions {
  /** The base address of a collector that speaks OTLP over HTTP; null: no traces. */
  readonly endpoint: string | null
  /** The share of emails that are traced, in [0, 1]; the same ones everywhere. */
  readonly share: number
  readonly version: string
  readonly log: Logger
}

const MAX_WAITING = 4_096
const MAX_TOGETHER = 512
const SEND_EVERY_MS = 2_000
const SEND_WITHIN_MS = 10_000
const STOP_WITHIN_MS = 3_000

export function tracesOf(options: TracesOptions): Traces {
  let sending: Sending | null = null
  return {
    record: (span) => {
      if (sending !== null && isTraced(span.emailId, options.share)) sending.record(span)
    },
    service: {
      name: 'traces',
      start: async () => {
        if (options.endpoint !== null) sending = await startSending(options, options.endpoint)
      },
      stop: async (deadline) => {
        const last = sending
          ?.stop()
          .catch((err: unknown) => options.log.warn({ err }, 'the last traces were not taken'))
        sending = null
        const patience = AbortSignal.any([deadline, AbortSignal.timeout(STOP_WITHIN_MS)])
        await Promise.race([last, patience.aborted ? undefined : once(patience, 'abort')])
      },
    },
  }
}

interface Sending {
  record(span: Span): void
  stop(): Promise<void>
}

async function startSending({ version, log }: TracesOptions, endpoint: string): Promise<Sending> {
  const [api, sdk, otlp, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const ignore = (): void => undefined
  const warn = (problem: string): void => log.warn({ problem: problem.slice(0, 300) }, 'traces are not taken')
  api.diag.setLogger(
    { error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    api.DiagLogLevel.ERROR,
  )
  // A root span takes the given ids; the others get new ones.
  const random = new sdk.RandomIdGenerator()
  let next: { readonly traceId: string; readonly spanId: string } | null = null
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'posthorn', 'service.version': version }),
    idGenerator: {
      generateTraceId: () => next?.traceId ?? random.generateTraceId(),
      generateSpanId: () => next?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new otlp.OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }),
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: MAX_TOGETHER,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_WITHIN_MS,
      }),
    ],
  })
  const tracer = provider.getTracer('posthorn', version)
  return {
    record: ({ name, emailId, startedAt, durationMs, failed, attributes }) => {
      const root = rootOf(emailId)
      const isRoot = name === 'accept'
      const below = { ...root, traceFlags: api.TraceFlags.SAMPLED, isRemote: true }
      const context = isRoot ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, below)
      next = isRoot ? root : null
      try {
        const kind = isRoot ? api.SpanKind.SERVER : api.SpanKind.CLIENT
        const named = Object.entries({ email_id: emailId, ...attributes }).map(([key, value]) => [
          `posthorn.${key}`,
          value,
        ])
        const options = { kind, startTime: startedAt, attributes: Object.fromEntries(named) }
        const span = tracer.startSpan(`posthorn ${name}`, options, context)
        if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR })
        span.end(startedAt.getTime() + durationMs)
      } finally {
        next = null
      }
    },
    stop: () => provider.shutdown(),
  }
}

/** The root of an email's trace: 16 and 8 bytes of its id, neither of them all zero. */
export function rootOf(emailId: string): { readonly traceId: string; readonly spanId: string } {
  const traceId = emailId.replaceAll('-', '').toLowerCase()
  return { traceId, spanId: traceId.slice(16) }
}

/** Decides by the end of the id, which is random: every process decides the same. */
function isTraced(emailId: string, share: number): boolean {
  return Number.parseInt(emailId.slice(-8), 16) < share * 0x1_0000_0000
}
