// Sending domains: a filter for lists, and their figures side by side.

import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { call, type Json, useApi, withQuery } from './api.ts'
import { insisting, pause } from './bulk-calls.ts'
import { lastDays } from './days.ts'
import type { Filter } from './listing.tsx'
import { figure } from './number-format.ts'
import { isOver, MAX_BOUNCE_RATE, MAX_COMPLAINT_RATE, rate } from './rates.ts'
import type { Search } from './search.ts'
import { Table } from './table.tsx'
import { Section } from './ui.tsx'

/** Each needs a call of its own. */
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

interface Figures {
  readonly id: string
  readonly domain: string
  readonly figures: Json
}

/** Renders nothing for a single domain: the overview shows its figures. */
export function ByDomain() {
  const domains: readonly Json[] = useApi('/customer/domains').data?.data ?? []
  const shown = domains.slice(0, MOST)
  const range = lastDays(DAYS)
  const found = useQuery<readonly Figures[], Error>({
    queryKey: ['figures by domain', range.from_date, ...shown.map(({ id }) => id)],
    staleTime: FRESH_MS,
    enabled: shown.length > 1,
    queryFn: async ({ signal }) => {
      const all: Figures[] = []
      for (const { id, domain } of shown) {
        const where = withQuery('/stats/outbound', { ...range, domain_id: id })
        // Null when nobody waits for it any longer.
        const answer = (await insisting(() => call('GET', where), { pause, signal })) as Json
        if (answer === null) break
        all.push({ id, domain, figures: answer.data })
      }
      return all.toSorted((a, b) => b.figures.sent - a.figures.sent)
    },
  })
  if (shown.length < 2) return null
  return (
    <Section title={`Last ${DAYS} days by domain`}>
      <Table
        caption="Figures by domain"
        rows={found.data}
        error={found.error}
        columns={[
          {
            head: 'Domain',
            main: true,
            cell: ({ id, domain }) => (
              <Link to="/" search={{ domain_id: id } as never} className="underline">
                {domain}
              </Link>
            ),
          },
          { head: 'Sent', right: true, named: true, cell: ({ figures }) => figure(figures.sent) },
          {
            head: 'Delivered',
            right: true,
            named: true,
            cell: ({ figures: { delivered, sent } }) => <Share part={delivered} whole={sent} />,
          },
          {
            head: 'Bounced',
            right: true,
            named: true,
            cell: ({ figures: { bounces, sent } }) => <Share part={bounces} whole={sent} most={MAX_BOUNCE_RATE} />,
          },
          {
            head: 'Complaints',
            right: true,
            named: true,
            cell: ({ figures: { spam_complaints: complaints, delivered } }) => (
              <Share part={complaints} whole={delivered} most={MAX_COMPLAINT_RATE} />
            ),
          },
          {
            head: 'Opened',
            right: true,
            named: true,
            cell: ({ figures: { unique_opens: opens, delivered } }) => <Share part={opens} whole={delivered} />,
          },
        ]}
        empty="Nothing to compare."
      />
      {domains.length > MOST && (
        <p className="mt-2 text-quiet">
          The first {MOST} of {domains.length}. The overview can show any of them.
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
