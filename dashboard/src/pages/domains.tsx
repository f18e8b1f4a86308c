import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type Json, refresh, useApi } from '../api/api.ts'
import { IfPermitted } from '../api/permissions.tsx'
import { DkimKeys, isOfNextKeys } from '../domains/dkim-keys.tsx'
import { DmarcReports } from '../domains/dmarc-reports.tsx'
import { howTheyAre, isWrong, purposeOf, Records, zoneOf } from '../domains/dns-records.tsx'
import { TlsReports } from '../domains/tls-reports.tsx'
import { TrackingSettings } from '../domains/tracking-settings.tsx'
import { ByDomain } from '../figures/by-domain.tsx'
import { AddForm } from '../ui/add-form.tsx'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { AsCall } from '../ui/example-call.tsx'
import { type Filter, Listing, useWhole, words } from '../ui/listing.tsx'
import { Button, Copy, LIKE_A_BUTTON, NOT_YET, Page, Pending, Problem, Section, State, Time } from '../ui/ui.tsx'
import { maySend, sendingFrom, trackedBy } from '../words/answers.ts'
import { domainForm } from '../words/domain-form.ts'

const LIST_EVERY_MS = 15_000
const TRACKING_EVERY_MS = 5_000

const FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Domain' },
  {
    name: 'verification_status',
    label: 'Status',
    options: words('pending', 'verified', 'temporary_failure', 'failed', 'suspended'),
  },
]

export function Domains() {
  const navigate = useNavigate()
  const all = useWhole('/customer/domains', LIST_EVERY_MS)
  return (
    <Page title="Domains" sentence={all === undefined ? NOT_YET : sendingFrom(all)}>
      <AddForm
        path="/customer/domains"
        scope="domains:write"
        fields={[{ name: 'domain', label: 'Domain, such as mail.example.com', form: domainForm, domain: true }]}
        button="Add"
        added={({ id }) => void navigate({ to: '/domains/$id', params: { id } })}
      />
      <Listing
        path="/customer/domains"
        pages="page"
        filters={FILTERS}
        caption="Sending domains"
        always={LIST_EVERY_MS}
        columns={[
          {
            head: 'Domain',
            main: true,
            cell: ({ id, domain }) => (
              <Link to="/domains/$id" params={{ id }} className="underline">
                {domain}
              </Link>
            ),
          },
          { head: 'Status', cell: ({ verification_status: state }) => <State name={state} /> },
          { head: 'Added', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <>
            No domains yet.{' '}
            <IfPermitted scope="domains:write">
              Add the one you send from to get the DNS records to publish.
              <AsCall path="/customer/domains" body={{ domain: 'mail.example.com' }} />
            </IfPermitted>
          </>
        }
      />
      <ByDomain />
    </Page>
  )
}

export function Domain() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useApi(`/customer/domains/${id}`)
  const dns = useApi(`/customer/domains/${id}/dns`)
  const ready = useApi(`/customer/domains/test-readiness/${id}`)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const navigate = useNavigate()
  if (found.data === undefined)
    return (
      <Page title="Domain">
        <Pending error={found.error} />
      </Page>
    )
  const domain = found.data.data ?? found.data
  const verify = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await call('POST', `/customer/domains/${id}/verify`)
      await refresh('/customer/domains')
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const remove = async (): Promise<void> => {
    setError(null)
    await call('DELETE', `/customer/domains/${id}`).then(() => navigate({ to: '/domains' }), setError)
    await refresh('/customer/domains')
  }
  const needed: readonly Json[] = dns.data?.data.dns_records ?? []
  const others: readonly Json[] = dns.data?.data.optional_records ?? []
  const optional = others.filter((record) => !isOfNextKeys(record))
  const records = [...needed, ...others]
  const report = ready.data?.data
  return (
    <Page
      title={domain.domain}
      sentence={
        <>
          <State name={domain.verification_status} /> {whatIsMissing(domain.verification_status, records)}
        </>
      }
      actions={
        <div className="flex flex-wrap gap-2">
          <Link to="/" search={{ domain_id: id } as never} className={LIKE_A_BUTTON}>
            View statistics
          </Link>
          {records.length > 0 && <Copy big text={zoneOf(records)} label="Copy all records" />}
          <Button kind="main" scope="domains:write" disabled={busy} onClick={() => void verify()}>
            {busy ? 'Verifying…' : 'Verify'}
          </Button>
          <Confirm
            label="Remove"
            scope="domains:write"
            question={`Remove ${domain.domain}? Email from it will be refused.`}
            onYes={() => void remove()}
          />
        </div>
      }
    >
      <Problem error={error} />
      <Section title="Records">
        {dns.data === undefined ? (
          <Pending error={dns.error} lines={12} />
        ) : (
          <>
            <Records list={needed} />
            {optional.length > 0 && (
              <details open={optional.some(isWrong)} className="mt-3">
                <summary className="cursor-pointer py-1">
                  {optional.length} optional {optional.length === 1 ? 'record' : 'records'}:{' '}
                  <span className="text-quiet">{howTheyAre(optional)}</span>
                </summary>
                <div className="mt-2">
                  <Records list={optional} />
                </div>
              </details>
            )}
          </>
        )}
      </Section>
      <Section title="DKIM keys">
        <DkimKeys domain={domain} records={others.filter(isOfNextKeys)} />
      </Section>
      <Section title="Tracking">
        <TrackingSettings domain={domain} />
      </Section>
      {report !== undefined && (
        <Section title="Readiness">
          <Report report={report} />
        </Section>
      )}
      <DmarcReports id={id} />
      <TlsReports id={id} />
    </Page>
  )
}

function whatIsMissing(state: string, records: readonly Json[]): string {
  const wanted = records.filter(({ required }) => required)
  if (wanted.length === 0) return ''
  if (state === 'suspended') return 'The operator has suspended this domain: email from it is refused.'
  const named = (which: (status: string) => boolean): readonly string[] =>
    wanted.filter(({ status }) => which(status)).map(({ purpose }) => purposeOf(purpose))
  const [valid, unknown] = [named((status) => status === 'valid'), named((status) => status === 'error')]
  const wrong = named((status) => status !== 'valid' && status !== 'error')
  const standing = `${valid.length} of ${wanted.length} required records are in place`
  if (valid.length === wanted.length)
    return `${standing}${maySend(state) ? ': you can send from this domain' : '; verify now'}.`
  const left = [
    standing,
    ...(wrong.length === 0 ? [] : [`${wrong.join(', ')} ${wrong.length === 1 ? 'needs' : 'need'} attention`]),
    ...(unknown.length === 0 ? [] : [`the DNS did not answer for ${unknown.join(', ')}`]),
  ].join('; ')
  if (state === 'verified') return `${left}.`
  return `${left}. ${wrong.length === 0 ? 'Verify again later.' : 'Publish them at the DNS provider of the domain, then verify.'}`
}

function Report({ report }: { readonly report: Json }) {
  return (
    <ul>
      {report.checklist.map((one: Json) => (
        <li key={one.code} className="flex flex-wrap gap-x-3 border-b border-line py-1.5">
          <span className="w-24 shrink-0">
            <State name={one.passed ? 'ok' : one.required ? 'missing' : 'warning'} />
          </span>
          <span className="w-52 shrink-0">{one.label}</span>
          <span className="min-w-0 flex-1 break-words text-quiet max-md:basis-full">{one.message}</span>
        </li>
      ))}
    </ul>
  )
}

export function TrackingDomains() {
  const all = useWhole('/customer/tracking-domains', TRACKING_EVERY_MS)
  const [error, setError] = useState<unknown>(null)
  const act = async (method: string, path: string): Promise<void> => {
    setError(null)
    await call(method, path).catch(setError)
    await refresh('/customer/tracking-domains')
  }
  return (
    <Page title="Tracking domains" sentence={all === undefined ? NOT_YET : trackedBy(all)}>
      <AddForm
        path="/customer/tracking-domains"
        scope="tracking_domains:write"
        fields={[{ name: 'domain', label: 'Domain, such as links.example.com', form: domainForm, domain: true }]}
        button="Add"
        added={({ domain }) => announce(`${domain} added. Publish its CNAME, then verify.`)}
      />
      <Problem error={error} />
      <Listing
        path="/customer/tracking-domains"
        pages="page"
        caption="Tracking domains"
        always={TRACKING_EVERY_MS}
        columns={[
          { head: 'Domain', main: true, cell: ({ domain }) => domain },
          {
            head: 'CNAME target',
            cell: ({ domain, cname_target: target }) => (
              <span className="flex items-start gap-2">
                <code className="min-w-44 font-mono text-xs break-all">{target}</code>
                <Copy text={target} what={`the target of ${domain}`} />
              </span>
            ),
          },
          {
            head: 'Status',
            cell: ({ is_verified: verified, verification }) => (
              <>
                <State name={verified ? 'verified' : 'pending'} />
                {!verified && verification.error !== null && <p className="text-quiet">{verification.error}</p>}
              </>
            ),
          },
          { head: 'Certificate', wide: true, cell: ({ ssl_status: state, ssl_error: error }) => error ?? state },
          {
            head: 'Actions',
            acts: true,
            scope: 'tracking_domains:write',
            cell: ({ id, domain }) => (
              <span className="flex gap-2">
                <Button small onClick={() => void act('POST', `/customer/tracking-domains/${id}/verify`)}>
                  Verify
                </Button>
                <Confirm
                  small
                  label="Remove"
                  question={`Remove ${domain}? Links in emails already sent go through it.`}
                  onYes={() => void act('DELETE', `/customer/tracking-domains/${id}`)}
                />
              </span>
            ),
          },
        ]}
        empty={
          <>
            No tracking domains yet. Without one, links go through the public address of this installation.
            <IfPermitted scope="tracking_domains:write">
              <AsCall path="/customer/tracking-domains" body={{ domain: 'links.example.com' }} />
            </IfPermitted>
          </>
        }
      />
    </Page>
  )
}
