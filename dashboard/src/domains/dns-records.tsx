// DNS records to publish: each with its state, what was found instead, and copy buttons.

import type { Json } from '../api/api.ts'
import { Copy, State, Time } from '../ui/ui.tsx'

/** In zone file format; long texts are split into strings of 255 characters. */
export function zoneOf(records: readonly Json[]): string {
  const line = ({ name, type, value }: Json): string => {
    const shown =
      type === 'TXT' ? (String(value).match(/.{1,255}/gs) ?? ['']).map((part) => `"${part}"`).join(' ') : value
    return `${name}. 3600 IN ${type} ${shown}`
  }
  return `${records.map(line).join('\n')}\n`
}

const PURPOSES: Readonly<Record<string, string>> = {
  ownership: 'Ownership',
  dkim_next: 'New DKIM key',
  return_path: 'Return path',
  tracking: 'Tracking',
}

/** Abbreviations in capitals, other purposes as words. */
export function purposeOf(purpose: string): string {
  return PURPOSES[purpose] ?? purpose.toUpperCase().replaceAll('_', ' ')
}

export function Records({ list }: { readonly list: readonly Json[] }) {
  return (
    <ul className="grid grid-cols-1 gap-3">
      {list.map((record) => (
        <DnsRecord key={`${record.purpose} ${record.name}`} record={record} />
      ))}
    </ul>
  )
}

/** Another value is published. Shown for optional records too. */
export function isWrong({ status }: Json): boolean {
  return status === 'mismatch' || status === 'multiple'
}

/** An optional record is never `missing`, only `not_set`. */
function stateOf({ status, required }: Json): string {
  return status === 'missing' && !required ? 'not_set' : status
}

/** For example «2 valid, 3 not set». */
export function howTheyAre(list: readonly Json[]): string {
  const counts = new Map<string, number>()
  for (const record of list) counts.set(stateOf(record), (counts.get(stateOf(record)) ?? 0) + 1)
  return [...counts].map(([state, count]) => `${count} ${state.replaceAll('_', ' ')}`).join(', ')
}

/** A missing one may stand at another name, which its error says. Of any other missing record, the status says enough. */
function isSought({ purpose, required }: Json): boolean {
  return required || purpose === 'dmarc'
}

/** The domain to which `host` is relative. */
function zoneIn({ name, host }: Json): string {
  return host === '@' ? name : String(name).slice(host.length + 1)
}

function DnsRecord({ record }: { readonly record: Json }) {
  const found: readonly string[] = record.found ?? []
  const purpose = purposeOf(record.purpose)
  return (
    <li className="rounded border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-semibold">
          {purpose}
          {!record.required && <span className="font-normal text-quiet"> optional</span>}
        </span>
        <State name={stateOf(record)} />
      </div>
      <dl className="mt-1 grid grid-cols-[3.5rem_1fr_auto] items-start gap-x-3 gap-y-1">
        <Row name="Type" value={record.type} of={purpose} />
        <Row name="Name" value={record.name} of={purpose} />
        <Row name="Host" value={record.host} of={purpose} note={`if the form adds .${zoneIn(record)} automatically`} />
        <Row name="Value" value={record.value} of={purpose} />
      </dl>
      {record.status !== 'valid' && record.last_checked_at !== null && (
        <p className="mt-2 break-all">
          <span className={record.status === 'error' ? '' : record.required ? 'text-bad' : 'text-quiet'}>
            {record.status === 'error'
              ? 'Not known yet: the DNS did not answer.'
              : found.length === 0
                ? 'No record was found.'
                : `Found instead: ${found.join(' and ')}`}
          </span>{' '}
          <span className="text-quiet">
            Last checked <Time at={record.last_checked_at} />.
          </span>
        </p>
      )}
      {record.error !== null && (record.status !== 'missing' || isSought(record)) && (
        <p className="mt-1 break-words text-quiet">{record.error}</p>
      )}
    </li>
  )
}

/** One line of a record: label, value, and a copy button. */
function Row({
  name,
  value,
  of,
  note,
}: {
  readonly name: string
  readonly value: string
  readonly of: string
  /** Says when to use this form. */
  readonly note?: string
}) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0">
        <code className="font-mono text-xs break-all">{value}</code>
        {note !== undefined && <span className="ml-2 text-xs break-words text-quiet">{note}</span>}
      </dd>
      <dd>{name === 'Type' ? null : <Copy text={value} what={`the ${name.toLowerCase()} of ${of}`} />}</dd>
    </>
  )
}
