// Sending domains: a filter for lists, and their figures side by side.

import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { call, type Json, useApi, withQuery } from '../api/api.ts'
import type { Filter } from '../ui/listing.tsx'
import type { Search } from '../ui/search.ts'
import { Table } from '../ui/table.tsx'
import { Section } from '../ui/ui.tsx'
import { lastDays } from '../words/days.ts'
import { figure } from '../words/number-format.ts'
import { isOver, MAX_BOUNCE_RATE, MAX_COMPLAINT_RATE, rate } from '../words/rates.ts'

const MOST = 20
const DAYS = 30
const FRESH_MS = 60_000

/** Empty when there is nothing to choose from. */
export function useDomains(): readonly (readonly [id: string, name: string])[] {
  const search = useSearch({ strict: false }) as Search
  const found: readonly Json[] = useApi('/customer/domains').data?.data ?? []
  const names = found.map(({ id, domain }) => [id, domain] as const)
  const asked = search['domain_id']
  // A removed domain still has emails, and the requested one is a choice before the others are loaded.
  if (asked !== undefined && !names.some(([id]) => id === asked)) return [...names, [asked, 'another domain']]
  return names.length < 2 && asked === undefined ? [] : names
}

export function useDomainFilter(): readonly Filter[] {
  const options = useDomains()
  return options.length === 0 ? [] : [{ name: 'domain_id', label: 'Domain', options }]
}

/** The domains with the most mail. Renders nothing for a single domain: the overview shows its figures. */
export function ByDomain() {
  const domains: readonly Json[] = useApi('/customer/domains').data?.data ?? []
  const where = withQuery('/stats/outbound/domains', { ...lastDays(DAYS), limit: MOST })
  // Not refreshed by each event: it reads the days of every domain.
  const found = useQuery<Json, Error>({
    queryKey: ['figures by domain', where],
    staleTime: FRESH_MS,
    enabled: domains.length > 1,
    queryFn: () => call('GET', where),
  })
  const names = new Map(domains.map(({ id, domain }) => [id, domain]))
  const rows: readonly Json[] | undefined = found.data?.data
  if (domains.length < 2) return null
  return (
    <Section title={`Last ${DAYS} days by domain`}>
      <Table
        caption="Figures by domain"
        rows={rows}
        error={found.error}
        keyOf={({ domain_id: id }) => id}
        columns={[
          {
            head: 'Domain',
            main: true,
            cell: ({ domain_id: id }) => (
              <Link to="/" search={{ domain_id: id } as never} className="underline">
                {names.get(id) ?? 'a removed domain'}
              </Link>
            ),
          },
          { head: 'Sent', right: true, named: true, cell: ({ sent }) => figure(sent) },
          {
            head: 'Delivered',
            right: true,
            named: true,
            cell: ({ delivered, sent }) => <Share part={delivered} whole={sent} />,
          },
          {
            head: 'Bounced',
            right: true,
            named: true,
            cell: ({ bounces, sent }) => <Share part={bounces} whole={sent} most={MAX_BOUNCE_RATE} />,
          },
          {
            head: 'Complaints',
            right: true,
            named: true,
            cell: ({ spam_complaints: complaints, delivered }) => (
              <Share part={complaints} whole={delivered} most={MAX_COMPLAINT_RATE} />
            ),
          },
          {
            head: 'Opened',
            right: true,
            named: true,
            cell: ({ unique_opens: opens, delivered }) => <Share part={opens} whole={delivered} />,
          },
        ]}
        empty="No domain sent an email to real recipients in these days."
      />
      {rows !== undefined && rows.length > 0 && rows.length < domains.length && (
        <p className="mt-2 text-quiet">
          {rows.length === 1 ? 'The only one' : `The ${rows.length} with the most email`} of {figure(domains.length)}{' '}
          domains. The overview can show any of them.
        </p>
      )}
    </Section>
  )
}

function Share({ part, whole, most }: { readonly part: number; readonly whole: number; readonly most?: number }) {
  const bad = most !== undefined && isOver(part, whole, most)
  return (
    <span className={bad ? 'text-bad' : ''} title={`${figure(part)} of ${figure(whole)}`}>
      {bad && (
        <>
          <span aria-hidden="true">▲ </span>
          <span className="sr-only">too high: </span>
        </>
      )}
      {whole === 0 ? '–' : rate(part, whole)}
    </span>
  )
}
