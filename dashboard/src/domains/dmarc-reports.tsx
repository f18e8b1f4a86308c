// What receivers report of DMARC: which addresses send in the name of a domain, what of it passes, and the DNS record that
// requests such reports. Only reports signed by their sender count.

import { useState } from 'react'
import { type Json, useApi } from '../api/api.ts'
import { Table } from '../ui/table.tsx'
import { Button, Section, State } from '../ui/ui.tsx'
import { counted, figure } from '../words/number-format.ts'
import { rate } from '../words/rates.ts'
import { ReportRecord } from './report-record.tsx'

export function DmarcReports({ id }: { readonly id: string }) {
  const path = `/customer/domains/${id}`
  const found = useApi(`${path}/dmarc-sources`)
  const all = useApi(`${path}/dmarc-reports?page=1&limit=1`)
  const [shown, setShown] = useState(false)
  const sources: readonly Json[] | undefined = found.data?.data
  const total: number | undefined = all.data?.pagination.total
  const { record, authorization } = all.data ?? {}
  return (
    <Section
      title="DMARC reports"
      actions={
        record !== undefined && total !== 0 ? (
          <Button small expanded={shown} onClick={() => setShown(!shown)}>
            DMARC record
          </Button>
        ) : undefined
      }
    >
      {found.data !== undefined && sources !== undefined && sources.length > 0 && (
        <p className="mb-2">{sentenceOf(found.data)}</p>
      )}
      {record !== undefined && (shown || total === 0) && (
        <>
          <ReportRecord record={record} what="DMARC reports">
            The reports are requested in the DMARC record. If the domain has one, add our address to its{' '}
            <code className="font-mono text-xs">rua</code> and leave the rest as it is.
          </ReportRecord>
          {authorization !== null && (
            <ReportRecord record={authorization} what="the consent of this service">
              Receivers send the reports to us only if the operator of this service has published this record, or the
              same for <code className="font-mono text-xs">*</code>, once for all domains.
            </ReportRecord>
          )}
        </>
      )}
      <Table
        caption="Addresses that send in the name of the domain"
        rows={sources}
        error={found.error}
        keyOf={({ source_ip: ip }) => String(ip)}
        columns={[
          { head: 'From', main: true, cell: (source) => <Sender source={source} /> },
          { head: 'Messages', right: true, cell: ({ messages }) => counted(messages, 'message') },
          {
            head: 'Passed',
            cell: ({ messages, passed }) =>
              passed === messages ? (
                <State name="ok" word="all passed" />
              ) : (
                <State
                  name="failed"
                  word={passed === 0 ? 'none passed' : `${rate(messages - passed, messages)} failed`}
                />
              ),
          },
          { head: 'By', wide: true, cell: (source) => howPassed(source) },
          { head: 'Receivers', cell: (source) => whatWasDone(source) },
        ]}
        empty={
          total === undefined || total === 0
            ? 'No reports yet. Receivers report once a day, starting the day after the record is published.'
            : `No signed reports in the last 30 days. ${figure(total)} in all, of which none counts here.`
        }
      />
    </Section>
  )
}

function Sender({ source }: { readonly source: Json }) {
  const { source_ip: ip, signed_by_posthorn: signed, messages } = source
  return (
    <>
      <span className="font-mono text-xs">{ip ?? 'no address'}</span>
      <span className="block text-xs text-quiet">
        {signed === 0
          ? 'not sent by Posthorn'
          : signed === messages
            ? 'sent by Posthorn'
            : `${figure(signed)} sent by Posthorn`}
      </span>
    </>
  )
}

function howPassed({ passed, dkim_aligned: dkim, spf_aligned: spf }: Json): string {
  if (passed === 0) return '–'
  return dkim > 0 && spf > 0 ? 'DKIM and SPF' : dkim > 0 ? 'DKIM' : 'SPF'
}

function whatWasDone({ quarantined, rejected }: Json): string {
  const parts = [
    ...(rejected > 0 ? [`${figure(rejected)} rejected`] : []),
    ...(quarantined > 0 ? [`${figure(quarantined)} put into spam`] : []),
  ]
  return parts.length === 0 ? 'accepted' : parts.join(', ')
}

function sentenceOf({ data, reports, sources }: Json): string {
  const sum = (key: string): number => data.reduce((total: number, source: Json) => total + source[key], 0)
  const [messages, passed] = [sum('messages'), sum('passed')]
  const many = (count: number, one: string): string => (count === 1 ? `one ${one}` : `${figure(count)} ${one}s`)
  const more = sources > data.length ? `, from the ${data.length} busiest of ${figure(sources)} addresses` : ''
  return `${rate(passed, messages)} of ${many(messages, 'message')} passed DMARC in ${many(reports, 'report')} of the last 30 days${more}.`
}
