// The start page: whether email arrives, and what needs attention.

import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call, type Json, refresh, useApi, withQuery } from '../api/api.ts'
import { filled } from '../api/filled.ts'
import { IfPermitted } from '../api/permissions.tsx'
import { useDomains } from '../figures/by-domain.tsx'
import { RateDays, type Series, StackedDays } from '../figures/charts.tsx'
import { type FigureRange, listBehind } from '../figures/figure-links.ts'
import { ProviderStrips } from '../figures/provider-strips.tsx'
import { ExampleCall, FIRST_EMAIL, NO_KEY } from '../ui/example-call.tsx'
import type { Search } from '../ui/search.ts'
import { NotKept } from '../ui/shown-once.tsx'
import { Button, Empty, NOT_YET, Page, Pending, Problem, Section, State, Time, Waiting } from '../ui/ui.tsx'
import { deliveryIn, withoutScore } from '../words/answers.ts'
import { edgeOfDay, lastDays } from '../words/days.ts'
import { figure } from '../words/number-format.ts'
import { isOver, MAX_BOUNCE_RATE, MAX_COMPLAINT_RATE, rate } from '../words/rates.ts'

const RANGES = [7, 30, 90] as const
const DEFAULT_DAYS = 30
const PLATFORMS = ['mobile', 'desktop', 'webmail', 'unknown'] as const
type Platforms = Readonly<Record<(typeof PLATFORMS)[number], number>>

export function Overview() {
  const search = useSearch({ strict: false }) as Search
  const days = RANGES.find((one) => String(one) === search['days']) ?? DEFAULT_DAYS
  const domains = useDomains()
  const domain_id = search['domain_id']
  const { from_date, timezone } = lastDays(days)
  const range = { from_date, timezone, domain_id, include_sandbox: search['sandbox'] === '1' }
  const every = { every: 15_000 }
  const totals = useApi(withQuery('/stats/outbound', range), every)
  const sends = useApi(withQuery('/stats/outbound/sends', range), every)
  const bounces = useApi(withQuery('/stats/outbound/bounces', range), every)
  const spam = useApi(withQuery('/stats/outbound/spam', range), every)
  const providers = useApi(withQuery('/stats/outbound/providers', range), every)
  const opens = useApi(withQuery('/stats/outbound/opens', range), every)
  const clicks = useApi(withQuery('/stats/outbound/clicks', range), every)
  const platforms = useApi(withQuery('/stats/outbound/opens/platforms', range), every)
  const reports = [sends, bounces, spam, providers, opens, clicks, platforms]
  const latest = useApi(
    withQuery('/customer/bounces', {
      ...{ limit: 100, domain_id, from: edgeOfDay(from_date, 'start') },
      ...{ include_sandbox: range.include_sandbox, include_complaints: false },
    }),
    every,
  )
  const figures: Json = totals.data?.data
  return (
    <Page
      title="Overview"
      sentence={
        figures === undefined ? NOT_YET : deliveryIn(figures, spanOf(days, domains, domain_id), latest.data?.data ?? [])
      }
      actions={<Range days={days} sandbox={range.include_sandbox} domains={domains} timezone={timezone} />}
    >
      {figures === undefined ? (
        <Pending error={totals.error} lines={3} />
      ) : (
        <Figures figures={figures} days={days} range={range} />
      )}
      {reports.every(({ data }) => data !== undefined) && (
        <>
          <Days sends={sends.data.data} bounces={bounces.data.data} spam={spam.data.data} tries={providers.data.data} />
          <ProviderStrips report={providers.data} />
          <Engagement opens={opens.data.data} clicks={clicks.data.data} platforms={platforms.data.totals} />
        </>
      )}
      <Problem error={reports.find(({ error }) => error !== null)?.error} />
      {reports.some(({ data, error }) => data === undefined && error === null) && <Waiting lines={12} />}
      <Health ofAll={domain_id !== undefined} />
      <Latest domainId={domain_id} />
    </Page>
  )
}

function Range({
  days,
  sandbox,
  domains,
  timezone,
}: {
  readonly days: number
  readonly sandbox: boolean
  readonly domains: readonly (readonly [id: string, name: string])[]
  readonly timezone: string
}) {
  const navigate = useNavigate()
  const { domain_id: domain } = useSearch({ strict: false }) as Search
  const go = (wanted: Search): void => {
    const next = { days: String(days), ...(sandbox && { sandbox: '1' }), domain_id: domain, ...wanted }
    void navigate({ to: '.', search: filled(next) as never, replace: true })
  }
  return (
    <div className="xl:text-right">
      <div className="flex flex-wrap gap-1 xl:justify-end" role="group" aria-label="Report filters">
        {domains.length > 0 && (
          <select
            aria-label="Domain"
            value={domain ?? ''}
            onChange={(event) => go({ domain_id: event.target.value })}
            className="min-h-6 max-w-48 rounded border border-line bg-raised px-1 text-xs text-ink"
          >
            <option value="">all domains</option>
            {domains.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
        {RANGES.map((one) => (
          <Button key={one} small pressed={one === days} onClick={() => go({ days: String(one) })}>
            {one} days
          </Button>
        ))}
        <Button small pressed={sandbox} onClick={() => go({ sandbox: sandbox ? '' : '1' })}>
          Include sandbox
        </Button>
      </div>
      <p className="mt-1 text-xs text-quiet">Days in {timezone}, your browser's time zone</p>
    </div>
  )
}

function Figures({
  figures,
  days,
  range,
}: {
  readonly figures: Json
  readonly days: number
  readonly range: FigureRange
}) {
  const bounced = `${rate(figures.bounces, figures.sent)}, keep under 2\u00a0%`
  const complained = `${rate(figures.spam_complaints, figures.delivered)}, keep under 0.1\u00a0%`
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
      <Figure name="Sent" value={figures.sent} note={`last ${days} days`} behind={listBehind('sent', range)} />
      <Figure
        name="Delivered"
        value={figures.delivered}
        note={rate(figures.delivered, figures.sent)}
        behind={listBehind('delivered', range)}
      />
      <Figure
        name="Bounced"
        value={figures.bounces}
        note={bounced}
        bad={isOver(figures.bounces, figures.sent, MAX_BOUNCE_RATE)}
        behind={listBehind('bounced', range)}
      />
      <Figure
        name="Complaints"
        value={figures.spam_complaints}
        note={complained}
        bad={isOver(figures.spam_complaints, figures.delivered, MAX_COMPLAINT_RATE)}
        behind={listBehind('complained', range)}
      />
      <Figure
        name="Opened"
        value={figures.unique_opens}
        note={`${rate(figures.unique_opens, figures.delivered)}, plus ${figure(figures.machine_opens)} by machines`}
        behind={listBehind('opened', range)}
      />
      <Figure
        name="Clicked"
        value={figures.unique_clicks}
        note={`${rate(figures.unique_clicks, figures.delivered)}, plus ${figure(figures.bot_clicks)} by machines`}
        behind={listBehind('clicked', range)}
      />
    </dl>
  )
}

function Figure({
  name,
  value,
  note,
  bad = false,
  behind: { to, search },
}: {
  readonly name: string
  readonly value: number
  readonly note: string
  readonly bad?: boolean
  /** The list of what the number counts. */
  readonly behind: ReturnType<typeof listBehind>
}) {
  return (
    <div className="bg-paper p-3">
      <dt className="text-quiet">{name}</dt>
      <dd className="text-2xl font-semibold">
        <Link to={to} search={search as never} className="no-underline hover:underline">
          {figure(value)}
        </Link>
      </dd>
      <dd className={`text-xs ${bad ? 'text-bad' : 'text-quiet'}`}>
        {bad && <span aria-hidden="true">▲ </span>}
        {note}
      </dd>
    </div>
  )
}

function Days({
  sends,
  bounces,
  spam,
  tries,
}: {
  readonly sends: readonly Json[]
  readonly bounces: readonly Json[]
  readonly spam: readonly Json[]
  /** Receivers' responses by day. */
  readonly tries: readonly Json[]
}) {
  const days = sends.map(({ date }) => String(date))
  const sent = sends.map((day) => Number(day.sent))
  const delivered = tries.map((day) => Number(day.accepted))
  const bounced = bounces.map((day) => Number(day.bounces))
  const complained = spam.map((day) => Number(day.spam_complaints))
  if (sent.every((count) => count === 0)) return null
  return (
    <>
      <StackedDays
        title="Emails by day"
        days={days}
        series={[
          { name: 'delivered', color: 'good', values: delivered },
          { name: 'bounced', color: 'bad', values: bounced },
        ]}
        beside={[{ name: 'sent', color: 'ink', values: sent }]}
      />
      <div className="grid gap-x-8 md:grid-cols-2">
        <RateDays
          title="Bounce rate"
          days={days}
          name="bounced"
          parts={bounced}
          wholes={sent}
          threshold={MAX_BOUNCE_RATE}
          behind="bounced"
        />
        <RateDays
          title="Complaint rate"
          days={days}
          name="complained"
          parts={complained}
          wholes={delivered}
          threshold={MAX_COMPLAINT_RATE}
          behind="complained"
        />
      </div>
    </>
  )
}

/** Opens and clicks by people, with machines shown separately. */
function Engagement({
  opens,
  clicks,
  platforms,
}: {
  readonly opens: readonly Json[]
  readonly clicks: readonly Json[]
  /** Opens by people in the whole period, by the platform of the email client. */
  readonly platforms: Platforms
}) {
  const days = opens.map(({ date }) => String(date))
  const valuesOf = (of: readonly Json[], name: string): readonly number[] => of.map((day) => Number(day[name]))
  const people = (values: readonly number[]): Series => ({ name: 'by people', color: 'brass', values })
  const machines = (values: readonly number[]): Series => ({ name: 'by machines', color: 'robot', values })
  const isSilent = opens.every((day) => day.opens + day.machine_opens === 0)
  if (isSilent && clicks.every((day) => day.clicks + day.bot_clicks === 0)) return null
  return (
    <div className="mt-2 grid gap-x-8 md:grid-cols-2">
      <div>
        <StackedDays
          title="Opens"
          days={days}
          series={[people(valuesOf(opens, 'opens')), machines(valuesOf(opens, 'machine_opens'))]}
          behind="opened"
          short
        />
        <p className="text-xs text-quiet">{openedOn(platforms)}</p>
      </div>
      <StackedDays
        title="Clicks"
        days={days}
        series={[people(valuesOf(clicks, 'clicks')), machines(valuesOf(clicks, 'bot_clicks'))]}
        behind="clicked"
        short
      />
    </div>
  )
}

function openedOn(platforms: Platforms): string {
  const sum = PLATFORMS.reduce((so, name) => so + platforms[name], 0)
  const shares = PLATFORMS.filter((name) => platforms[name] > 0).map((name) => `${name} ${rate(platforms[name], sum)}`)
  return shares.length === 0 ? 'No opens by people.' : `By people: ${shares.join(', ')}.`
}

/** The period and the domain that the page covers, in words. */
function spanOf(
  days: number,
  domains: readonly (readonly [id: string, name: string])[],
  domainId: string | undefined,
): string {
  const [, name] = domains.find(([id]) => id === domainId) ?? []
  return `${name === undefined ? '' : `from ${name} `}in the last ${days} days`
}

/** @param ofAll says that the score covers all domains, for when the page is filtered by one */
function Health({ ofAll }: { readonly ofAll: boolean }) {
  const found = useApi('/customer/health-score')
  const health: Json = found.data?.data
  return (
    <Section
      title={ofAll ? 'Health across all domains' : 'Health'}
      actions={
        <Link to="/health" className="underline">
          View health
        </Link>
      }
    >
      {health === undefined ? (
        <Pending error={found.error} lines={2} />
      ) : (
        <>
          <p>{health.score === null ? withoutScore(health) : `Grade ${health.grade}, ${health.score} of 100.`}</p>
          <ul className="mt-1">
            {(health.score === null ? [] : health.findings.slice(0, 3)).map((finding: Json) => (
              <li key={finding.code}>
                <State name={finding.severity} /> {finding.message}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

function Latest({ domainId }: { readonly domainId: string | undefined }) {
  const recent = useApi(withQuery('/emails', { limit: 8, domain_id: domainId }), { every: 5_000 })
  const emails: readonly Json[] | undefined = recent.data?.data
  return (
    <Section
      title="Latest emails"
      actions={
        <Link
          to="/emails"
          search={(domainId === undefined ? {} : { domain_id: domainId }) as never}
          className="underline"
        >
          All emails
        </Link>
      }
    >
      {emails === undefined && <Pending error={recent.error} lines={8} />}
      {emails?.length === 0 &&
        (domainId === undefined ? <FirstMail /> : <Empty>No emails from this domain yet.</Empty>)}
      {emails !== undefined && emails.length > 0 && (
        <ul className="divide-y divide-line border-y border-line">
          {emails.map(({ id, status, subject, to, sandbox, created_at: at }) => (
            <li key={id} data-row="" className="relative flex flex-wrap gap-x-4 py-1.5 hover:bg-line/30">
              <span className="w-24 shrink-0">
                <State name={status} />
              </span>
              <Link
                to="/emails/$id"
                params={{ id }}
                className="min-w-0 flex-1 truncate no-underline after:absolute after:inset-0"
              >
                {subject === '' ? '(no subject)' : subject}
              </Link>
              {sandbox && <span className="text-quiet">sandbox</span>}
              <span className="truncate text-quiet max-md:basis-full">{to}</span>
              <span className="text-quiet max-md:hidden">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** A curl call to copy for the first email; with the test key created here it works unchanged. */
function FirstMail() {
  const [made, setMade] = useState<string | null>(null)
  const kept = useRef(false)
  const keep = (): void => {
    kept.current = made !== null
  }
  const [error, setError] = useState<unknown>(null)
  const make = async (): Promise<void> => {
    setError(null)
    const wanted = { name: 'First email', mode: 'sandbox', scopes: ['send'] }
    await call('POST', '/customer/api-keys', wanted).then((answer) => setMade(answer.data.key), setError)
    await refresh('/customer/api-keys')
  }
  return (
    <div className="grid gap-3 rounded border border-dashed border-line p-4">
      <p className="text-quiet">
        No emails yet. Send the first one with a test key: it goes to the{' '}
        <Link to="/inbox" className="underline">
          inbox
        </Link>{' '}
        and nowhere else.{' '}
        {made === null ? (
          <>
            Replace {NO_KEY} with one of your test keys
            <IfPermitted scope="api_keys:write">
              {' '}
              (
              <Link to="/keys" className="underline">
                API keys
              </Link>
              ), or create one here
            </IfPermitted>
            .
          </>
        ) : (
          'The key in these examples can only send test email. It is shown only once; you can revoke it under API keys.'
        )}
      </p>
      {made === null && (
        <div>
          <Button small scope="api_keys:write" onClick={() => void make()}>
            Create a test key
          </Button>
        </div>
      )}
      <Problem error={error} />
      {/* Copied with an example, it is kept. */}
      <div className="grid gap-3" onCopy={keep}>
        {made !== null && <NotKept waits={() => !kept.current} what="the test key" />}
        <ExampleCall path="/send" body={FIRST_EMAIL} apiKey={made ?? NO_KEY} copied={keep} />
      </div>
    </div>
  )
}
