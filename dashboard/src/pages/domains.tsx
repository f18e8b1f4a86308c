import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call, type Json, refresh, useApi } from '../api.ts'
import { Listing } from '../listing.tsx'
import { Button, Copy, Field, Page, Problem, Section, State, Time, Waiting } from '../ui.tsx'

export function Domains() {
  return (
    <Page title="Domains" sentence="Who mail may come from. A domain sends once its four DNS records stand.">
      <AddDomain path="/customer/domains" label="Domain, such as mail.example.com" to="/domains" />
      <Listing
        path="/customer/domains"
        pages="page"
        caption="Sending domains"
        columns={[
          {
            head: 'Domain',
            cell: ({ id, domain }) => (
              <Link to="/domains/$id" params={{ id }} className="underline">
                {domain}
              </Link>
            ),
          },
          { head: 'State', cell: ({ verification_status: state }) => <State name={state} /> },
          { head: 'Added', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty="No domain yet. Add the one that you send from; you then get the records to publish."
      />
    </Page>
  )
}

function AddDomain({ path, label, to }: { readonly path: string; readonly label: string; readonly to: string }) {
  const [domain, setDomain] = useState('')
  const [error, setError] = useState<unknown>(null)
  const navigate = useNavigate()
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      const { data } = await call('POST', path, { domain })
      setDomain('')
      await refresh(path)
      if (to === '/domains') await navigate({ to: '/domains/$id', params: { id: data.id } })
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <>
      <form onSubmit={(event) => void add(event)} className="mb-4 flex flex-wrap items-end gap-3">
        <div className="min-w-64 flex-1">
          <Field label={label} required value={domain} onChange={setDomain} />
        </div>
        <Button type="submit" kind="main">
          Add
        </Button>
      </form>
      <Problem error={error} />
    </>
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
  if (found.error !== null)
    return (
      <Page title="Domain">
        <Problem error={found.error} />
      </Page>
    )
  if (found.data === undefined)
    return (
      <Page title="Domain">
        <Waiting />
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
    if (!confirm(`Remove ${domain.domain}? Mail from it is refused from then on.`)) return
    await call('DELETE', `/customer/domains/${id}`)
    await refresh('/customer/domains')
    await navigate({ to: '/domains' })
  }
  const records: readonly Json[] = [...(dns.data?.data.dns_records ?? []), ...(dns.data?.data.optional_records ?? [])]
  const report = ready.data?.data
  return (
    <Page
      title={domain.domain}
      sentence={
        domain.verification_status === 'verified'
          ? 'Verified: mail may be sent from it.'
          : 'Publish these records where the DNS of the domain is kept, then verify.'
      }
      actions={
        <div className="flex gap-2">
          <Button kind="main" disabled={busy} onClick={() => void verify()}>
            {busy ? 'Looking…' : 'Verify'}
          </Button>
          <Button kind="danger" onClick={() => void remove()}>
            Remove
          </Button>
        </div>
      }
    >
      <p>
        <State name={domain.verification_status} />
      </p>
      <Problem error={error} />
      <Section title="Records">
        <ul className="grid gap-4">
          {records.map((record) => {
            const found: readonly string[] = record.found ?? []
            return (
              <li key={`${record.purpose} ${record.name}`} className="rounded border border-line p-3">
                <div className="flex flex-wrap items-center justify-between gap-2">
                  <span className="font-medium">
                    {record.purpose.toUpperCase()}
                    {!record.required && <span className="font-normal text-quiet"> optional</span>}
                  </span>
                  <State name={record.status} />
                </div>
                <Row name="Type" value={record.type} />
                <Row name="Name" value={record.name} />
                <Row name="Value" value={record.value} />
                {record.status !== 'valid' && record.last_checked_at !== null && (
                  <p className="mt-2 break-all text-bad">
                    {found.length === 0 ? 'Nothing was found there.' : `Found: ${found.join(' and ')}`}
                  </p>
                )}
                {record.error !== null && <p className="mt-1 text-quiet">{record.error}</p>}
              </li>
            )
          })}
        </ul>
      </Section>
      {report !== undefined && (
        <Section title="Readiness">
          <Report report={report} />
        </Section>
      )}
    </Page>
  )
}

function Row({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="mt-1 flex items-start gap-3">
      <span className="w-14 shrink-0 text-quiet">{name}</span>
      <code className="min-w-0 flex-1 font-mono text-xs break-all">{value}</code>
      <Copy text={value} />
    </div>
  )
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
          <span className="min-w-0 flex-1 text-quiet">{one.message}</span>
        </li>
      ))}
    </ul>
  )
}

export function TrackingDomains() {
  const [error, setError] = useState<unknown>(null)
  const act = async (method: string, path: string): Promise<void> => {
    setError(null)
    await call(method, path).catch(setError)
    await refresh('/customer/tracking-domains')
  }
  return (
    <Page
      title="Tracking domains"
      sentence="Names of yours under which links and opens are counted. Each needs one CNAME; the certificate comes by itself."
    >
      <AddDomain path="/customer/tracking-domains" label="Name, such as links.example.com" to="" />
      <Problem error={error} />
      <Listing
        path="/customer/tracking-domains"
        pages="page"
        caption="Tracking domains"
        columns={[
          { head: 'Name', cell: ({ domain }) => domain },
          {
            head: 'CNAME to',
            cell: ({ cname_target: target }) => <code className="font-mono text-xs break-all">{target}</code>,
          },
          {
            head: 'State',
            cell: ({ is_verified: verified, verification }) => (
              <>
                <State name={verified ? 'verified' : 'pending'} />
                {!verified && verification.error !== null && <p className="text-quiet">{verification.error}</p>}
              </>
            ),
          },
          { head: 'Certificate', wide: true, cell: ({ ssl_status: state, ssl_error: error }) => error ?? state },
          {
            head: 'Do',
            cell: ({ id, domain }) => (
              <span className="flex gap-2">
                <Button onClick={() => void act('POST', `/customer/tracking-domains/${id}/verify`)}>Verify</Button>
                <Button
                  kind="danger"
                  onClick={() => confirm(`Remove ${domain}?`) && void act('DELETE', `/customer/tracking-domains/${id}`)}
                >
                  Remove
                </Button>
              </span>
            ),
          },
        ]}
        empty="None yet. Without one, links lead over the public address of this instance."
      />
    </Page>
  )
}
