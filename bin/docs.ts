// Generates pages from the code: docs/config.md from the table of settings, docs/errors.md from the error tables of the platform
// and of every room. `--check` writes nothing and fails when a page differs from the code.

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { METRICS } from '../src/composition/metrics.ts'
import { SETTINGS } from '../src/config.ts'
import { type ErrorKind, platformErrors } from '../src/platform/errors.ts'
import type { MetricFacts, MetricTable } from '../src/platform/metrics.ts'

const ROOT = join(import.meta.dirname, '..')
const MADE_BY = '<!-- Made by `npm run check -- --fix docs` from the code; changes here are lost. -->'

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function configPage(): string {
  const rows = Object.values(SETTINGS).map(
    ({ name, default: standard, meaning }) => `| \`${name}\` | ${cell(standard)} | ${cell(meaning)} |`,
  )
  return `${MADE_BY}

# Settings

All settings are environment variables. An invalid value stops the start, with the setting's name and the reason. An empty value
counts as not set. A \`POSTHORN_\` variable that is not in this table is reported in the log at start-up.

| setting | default | meaning |
|---|---|---|
${rows.join('\n')}
`
}

interface Owned {
  readonly owner: string
  readonly kind: ErrorKind
}

function isErrorKind(value: unknown): value is ErrorKind {
  return typeof value === 'function' && 'status' in value && 'code' in value && 'message' in value
}

/** The error kinds of one module's tables, whatever names it exports them under. */
function kindsOf(exports: Readonly<Record<string, unknown>>): ErrorKind[] {
  return Object.values(exports)
    .filter((value) => typeof value === 'object' && value !== null)
    .flatMap((table) => Object.values(table as object).filter(isErrorKind))
}

async function errorsPage(): Promise<string> {
  const owned: Owned[] = Object.values(platformErrors).map((kind) => ({ owner: 'platform', kind }))
  for (const path of globSync('src/modules/*/errors.ts', { cwd: ROOT }).toSorted()) {
    const exports = (await import(pathToFileURL(join(ROOT, path)).href)) as Record<string, unknown>
    const kinds = kindsOf(exports)
    if (kinds.length === 0) throw new Error(`${path} declares no errors`)
    owned.push(...kinds.map((kind) => ({ owner: path.split('/')[2] ?? '', kind })))
  }
  const rows = owned
    .toSorted((a, b) => a.kind.status - b.kind.status || (a.kind.code < b.kind.code ? -1 : 1))
    .map(({ owner, kind }) => `| ${kind.status} | \`${kind.code}\` | ${cell(kind.message)} | ${owner} |`)
  return `${MADE_BY}

# Errors

This page lists every error code of the API. Every error is \`{error, code, details, request_id}\`. Rely on \`code\`: it is part of
the contract and does not change. The text is for people and may change. Several modules may raise the same code.

A client that sends \`Accept: application/problem+json\` gets them under that type, with the members of RFC 9457 (\`type\`, \`title\`,
\`status\`, \`detail\`, \`instance\`) beside these.

A 503 to a call that writes has \`details.outcome: "unknown"\` if the database stopped answering during the call: the email may be
stored, and then it goes out. Send the call again with the same \`Idempotency-Key\`, and the email goes out once. Without
\`outcome\`, nothing was stored.

| status | code | text | raised by |
|---|---|---|---|
${[...new Set(rows)].join('\n')}
`
}

function metricsPage(): string {
  const rows = Object.values(METRICS satisfies MetricTable).map((facts: MetricFacts) => {
    const labels = (facts.labels ?? []).map((label) => `\`${label}\``).join(', ')
    return `| \`${facts.name}\` | ${facts.kind} | ${labels} | ${cell(facts.help)} |`
  })
  return `${MADE_BY}

# Metrics

\`GET /metrics\` serves metrics in Prometheus' text format. It answers requests from the machine itself without a forwarding header, and
requests with POSTHORN_METRICS_TOKEN as bearer token. Everything else gets 404.

The metrics cover one process. Those read from the database (queue, webhooks, followers) are the same in every process. The usual
\`process_*\` and \`nodejs_*\` metrics are included, among them the event loop delay (\`nodejs_eventloop_lag_p99_seconds\`).

| metric | kind | labels | meaning |
|---|---|---|---|
${rows.join('\n')}
`
}

const pages: Readonly<Record<string, string>> = {
  'docs/config.md': configPage(),
  'docs/errors.md': await errorsPage(),
  'docs/metrics.md': metricsPage(),
}
const stale = Object.entries(pages).filter(([path, text]) => {
  const file = join(ROOT, path)
  return !existsSync(file) || readFileSync(file, 'utf8') !== text
})
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is not what the code says: npm run check -- --fix docs`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  for (const [path, text] of stale) writeFileSync(join(ROOT, path), text)
}
