// What the process measures about itself, for Prometheus. Every metric is declared in a table, from which docs/metrics.md is
// generated: a metric outside the tables does not exist. Values from the database are queried when the page is read, at most
// every 10 seconds; while the database is unavailable they are missing, and the page still works.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from './clock.ts'

export interface MetricFacts {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[]
}

export type MetricTable = Readonly<Record<string, MetricFacts>>

export type Labels = Readonly<Record<string, string | number>>

export interface Metrics<Table extends MetricTable> {
  /** Adds to a counter, or records a value in a histogram. */
  note(metric: keyof Table, value: number, labels?: Labels): void
  /** Replaces all series of a gauge. */
  replace(metric: keyof Table, series: readonly { readonly labels?: Labels; readonly value: number }[]): void
  /** The page, in Prometheus' text format. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>
}

export interface MetricsOptions<Table extends MetricTable> {
  readonly table: Table
  readonly clock: Clock
  /** Sets the gauges that are queried when the page is read. If it rejects, the page goes without them. */
  readonly collect: (metrics: Metrics<Table>) => Promise<void>
}

const COLLECTED_FOR_MS = 10_000

type Instrument = Counter | Gauge | Histogram

export function metricsOf<Table extends MetricTable>({ table, clock, collect }: MetricsOptions<Table>): Metrics<Table> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const instruments = new Map<keyof Table, Instrument>()
  for (const [key, facts] of Object.entries(table)) instruments.set(key, instrumentOf(facts, registry))
  const instrument = (metric: keyof Table): Instrument => {
    const found = instruments.get(metric)
    if (found === undefined) throw new Error(`no metric ${String(metric)}`)
    return found
  }
  let collecting: Promise<void> = Promise.resolve()
  let collectedAt = Number.NEGATIVE_INFINITY
  const metrics: Metrics<Table> = {
    note: (metric, value, labels = {}) => {
      const into = instrument(metric)
      if (into instanceof Counter) into.inc(labels, value)
      else if (into instanceof Histogram) into.observe(labels, value)
      else into.set(labels, value)
    },
    replace: (metric, series) => {
      const into = instrument(metric)
      if (!(into instanceof Gauge)) throw new Error(`${String(metric)} is no gauge`)
      into.reset()
      for (const { labels = {}, value } of series) into.set(labels, value)
    },
    page: async () => {
      if (clock.monotonicMs() - collectedAt >= COLLECTED_FOR_MS) {
        collectedAt = clock.monotonicMs()
        collecting = collect(metrics)
      }
      await collecting.catch(() => {
        collectedAt = Number.NEGATIVE_INFINITY
        for (const into of instruments.values()) if (into instanceof Gauge) into.reset()
      })
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
  return metrics
}

function instrumentOf({ kind, name, help, labels = [], buckets }: MetricFacts, registry: Registry): Instrument {
  const common = { name, help, labelNames: [...labels], registers: [registry] }
  switch (kind) {
    case 'counter':
      return new Counter(common)
    case 'gauge':
      return new Gauge(common)
    case 'histogram':
      return new Histogram({ ...common, ...(buckets !== undefined && { buckets: [...buckets] }) })
  }
}
