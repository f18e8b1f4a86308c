// Reports by others about TLS to a domain (TLS-RPT), and the DNS record that requests them. Only reports signed by their sender
// count; the others are shown with the reason.

import { useState } from 'react'
import { type Json, useApi } from '../api/api.ts'
import { Listing } from '../ui/listing.tsx'
import { Button, Section, State } from '../ui/ui.tsx'
import { counted, figure } from '../words/number-format.ts'
import { ReportRecord } from './report-record.tsx'

/** Explanation and advice (RFC 8460 section 4.3). */
const FAILURES: Readonly<Record<string, string>> = {
  'starttls-not-supported': 'the host offered no TLS: enable STARTTLS on it',
  'certificate-host-mismatch': 'the certificate names another host: get one for the name in the MX record',
  'certificate-expired': 'the certificate had expired: renew it',
  'certificate-not-trusted': 'the certificate is not trusted: use one from a public authority, with its chain',
  'validation-failure': 'the certificate could not be checked',
  'tlsa-invalid': 'the TLSA record does not match: publish the one for the certificate in use',
  'dnssec-invalid': 'the DNSSEC signatures are not valid: fix DNSSEC for the host',
  'dane-required': 'the sender requires DANE: publish TLSA records',
  'sts-policy-fetch-error': 'the MTA-STS policy could not be read: check mta-sts on the web server',
  'sts-policy-invalid': 'the MTA-STS policy is malformed: fix its text',
  'sts-webpki-invalid': 'the web server of the MTA-STS policy has no valid certificate: renew it',
}

/** Why a signature is not valid, in words. */
const DOUBTS: Readonly<Record<string, string>> = {
  unsigned: 'it is not signed',
  other_domain: 'it is not signed by its sender',
  body_changed: 'it was changed after it was signed',
  bad_signature: 'the signature does not match',
  expired: 'the signature had expired',
  length_limited: 'only part of it is signed',
  weak_algorithm: 'the signature is too weak',
  weak_key: 'the key is too short',
  no_key: 'the key of the signature is not published',
  revoked_key: 'the key was revoked',
  unusable_key: 'the key cannot be used for this',
  malformed: 'the signature is malformed',
  no_answer: 'the DNS of the sender did not answer',
  too_large: 'the header is too long',
  too_costly: 'the signature took too long to check',
}

export function TlsReports({ id }: { readonly id: string }) {
  const path = `/customer/domains/${id}/tls-reports`
  const first = useApi(`${path}?page=1&limit=1`)
  const signed = useApi(`${path}?page=1&limit=50&dkim=pass`)
  const [shown, setShown] = useState(false)
  const reports: readonly Json[] = signed.data?.data ?? []
  const total: number = first.data?.pagination.total ?? 0
  const record: Json = first.data?.record
  const hasNone = first.data !== undefined && total === 0
  return (
    <Section
      title="TLS reports"
      actions={
        record !== undefined && !hasNone ? (
          <Button small expanded={shown} onClick={() => setShown(!shown)}>
            Record
          </Button>
        ) : undefined
      }
    >
      {total > 0 && signed.data !== undefined && (
        <p className="mb-2">{sentenceOf(reports, signed.data.pagination.total, total)}</p>
      )}
      {record !== undefined && (shown || hasNone) && (
        <ReportRecord record={record} what="TLS reports">
          This {record.type} record asks senders to report, wherever the email of the domain is received. A domain can
          have only one such record: if there is one, add our address to it.
        </ReportRecord>
      )}
      <Listing
        path={path}
        pages="page"
        caption="TLS reports"
        columns={[
          { head: 'From', main: true, cell: (report) => <Sender report={report} /> },
          { head: 'Day', cell: ({ begins_at: from, ends_at: to }) => daysOf(from, to) },
          {
            head: 'Sessions',
            right: true,
            cell: ({ successful_sessions: good, failed_sessions: bad }) => counted(good + bad, 'session'),
          },
          {
            head: 'Failed',
            cell: ({ failed_sessions: bad }) =>
              bad === 0 ? (
                <State name="ok" word="none failed" />
              ) : (
                <State name="failed" word={`${figure(bad)} failed`} />
              ),
          },
          { head: 'Why', cell: (report) => <Why report={report} /> },
        ]}
        empty="No reports yet. Providers that send email to this domain over TLS report the results once a day, starting the day after the record is published."
      />
    </Section>
  )
}

function Sender({ report }: { readonly report: Json }) {
  const { domain, reason } = report.dkim
  return (
    <>
      <span>{report.organization}</span>
      <span className="block text-xs text-quiet">
        {domain !== null ? (
          `signed by ${domain}`
        ) : (
          <>
            <State name="failed" word="not verified" />:{' '}
            {DOUBTS[reason] ?? 'it was received before signatures were checked'}
          </>
        )}
      </span>
    </>
  )
}

function Why({ report }: { readonly report: Json }) {
  const failures = failuresOf([report])
  if (failures.length === 0) return <span className="text-quiet">–</span>
  return (
    <ul>
      {failures.map(({ type, host, count }) => (
        <li key={`${type} ${host}`}>
          {figure(count)} × {wordsOf(type)}
          {host !== null && <span className="font-mono text-xs text-quiet"> {host}</span>}
        </li>
      ))}
    </ul>
  )
}

interface Failure {
  readonly type: string
  readonly host: string | null
  readonly count: number
}

/** By reason and host, the most frequent first. */
function failuresOf(reports: readonly Json[]): readonly Failure[] {
  const all: readonly Json[] = reports.flatMap(({ policies }) => policies.flatMap(({ failures }: Json) => failures))
  const groups = Map.groupBy(all, ({ result_type: type, receiving_mx_hostname: host }) => `${type} ${host}`)
  return [...groups.values()]
    .map((group) => ({
      type: group[0].result_type,
      host: group[0].receiving_mx_hostname,
      count: group.reduce((sum, { failed_sessions: failed }) => sum + failed, 0),
    }))
    .toSorted((a, b) => b.count - a.count)
}

function wordsOf(type: string): string {
  return FAILURES[type] ?? type.replaceAll('-', ' ')
}

/** @param signed number of signed reports @param total number of reports */
function sentenceOf(reports: readonly Json[], signed: number, total: number): string {
  if (signed === 0) return 'None of these reports is signed by its sender, so they prove nothing.'
  const more = total - signed
  const left = more === 0 ? '' : ` Not counted: ${more} more that their senders did not sign.`
  return figuresOf(reports, signed) + left
}

function figuresOf(reports: readonly Json[], total: number): string {
  const of =
    total > reports.length
      ? `the latest ${reports.length} reports`
      : reports.length === 1
        ? 'one report'
        : `${total} reports`
  const good = reports.reduce((sum, { successful_sessions: count }) => sum + count, 0)
  const bad = reports.reduce((sum, { failed_sessions: count }) => sum + count, 0)
  const told = `${bad === 0 ? 'None' : figure(bad)} of ${figure(good + bad)} sessions failed in ${of}`
  const [most] = failuresOf(reports)
  return bad === 0 || most === undefined ? `${told}.` : `${told}, mostly because ${wordsOf(most.type)}.`
}

/** The UTC days covered by a report; usually one. */
function daysOf(from: string, to: string): string {
  const [first, last] = [from.slice(0, 10), new Date(Date.parse(to) - 1).toISOString().slice(0, 10)]
  return first >= last ? first : `${first} – ${last}`
}
