import { type FormEvent, useState } from 'react'
import { call, type Json, refresh, useApi } from '../api.ts'
import { Listing } from '../listing.tsx'
import { Button, Choice, Code, Facts, Field, Page, Problem, Section, State, Time, Waiting } from '../ui.tsx'

export function Keys() {
  const [name, setName] = useState('')
  const [mode, setMode] = useState('live')
  const [made, setMade] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      const { data } = await call('POST', '/customer/api-keys', { name, mode })
      setMade(data.key)
      setName('')
      await refresh('/customer/api-keys')
    } catch (problem) {
      setError(problem)
    }
  }
  const revoke = async (id: string, called: string): Promise<void> => {
    if (!confirm(`Revoke «${called}»? Whoever uses it is refused within seconds.`)) return
    await call('DELETE', `/customer/api-keys/${id}`).catch(setError)
    await refresh('/customer/api-keys')
  }
  return (
    <Page title="API keys" sentence="A live key sends to real people; a test key fills the inbox alone.">
      <form onSubmit={(event) => void add(event)} className="mb-4 flex flex-wrap items-end gap-3">
        <div className="min-w-52 flex-1">
          <Field label="Name" required value={name} onChange={setName} />
        </div>
        <Choice
          label="Mode"
          value={mode}
          onChange={setMode}
          options={[
            ['live', 'live'],
            ['sandbox', 'test'],
          ]}
        />
        <Button type="submit" kind="main">
          Make a key
        </Button>
      </form>
      <Problem error={error} />
      {made !== null && (
        <div className="mb-4" role="status">
          <p className="mb-1">The key, shown this once:</p>
          <Code text={made} />
        </div>
      )}
      <Listing
        path="/customer/api-keys"
        pages="page"
        caption="API keys"
        columns={[
          { head: 'Name', cell: ({ name: called }) => called },
          {
            head: 'Key',
            cell: ({ prefix, last4 }) => <code className="font-mono text-xs">{`${prefix}…${last4}`}</code>,
          },
          { head: 'Scopes', wide: true, cell: ({ scopes }) => scopes.join(', ') },
          { head: 'Last used', wide: true, cell: ({ last_used_at: at }) => <Time at={at} /> },
          {
            head: 'Do',
            cell: ({ id, name: called, revoked_at: revoked }) =>
              revoked === null ? (
                <Button kind="danger" onClick={() => void revoke(id, called)}>
                  Revoke
                </Button>
              ) : (
                <State name="canceled" />
              ),
          },
        ]}
        empty="No key yet."
      />
    </Page>
  )
}

export function Smtp() {
  const found = useApi('/smtp-credentials')
  const [shown, setShown] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const rotate = async (): Promise<void> => {
    if (!confirm('The present password works for a short while longer. Go on?')) return
    await call('POST', '/smtp-credentials/rotate').catch(setError)
    await refresh('/smtp-credentials')
  }
  const data: Json = found.data?.data
  return (
    <Page
      title="SMTP"
      sentence="For programs that speak SMTP rather than HTTP: the same checks, the same events."
      actions={<Button onClick={() => void rotate()}>New password</Button>}
    >
      <Problem error={found.error ?? error} />
      {data === undefined ? (
        <Waiting />
      ) : (
        <Facts
          facts={[
            ['Host', data.host],
            ['STARTTLS', data.ports.starttls.join(', ')],
            ['Implicit TLS', data.ports.implicit_tls.join(', ')],
            [
              'User',
              <code key="u" className="font-mono text-xs">
                {data.username}
              </code>,
            ],
            [
              'Password',
              shown ? (
                <code key="p" className="font-mono text-xs break-all">
                  {data.password}
                </code>
              ) : (
                <Button key="b" onClick={() => setShown(true)}>
                  Show
                </Button>
              ),
            ],
            ['Or', 'user apikey with an API key as the password'],
            ['Last used', <Time key="t" at={data.last_used_at} />],
          ]}
        />
      )}
    </Page>
  )
}

const KINDS: readonly (readonly [string, string])[] = [
  ['emails', 'Emails'],
  ['validations', 'Validations'],
  ['content_checks', 'Content checks'],
  ['risk_previews', 'Risk previews'],
]

export function Usage() {
  const usage = useApi('/customer/usage')
  const limits = useApi('/customer/limits')
  const data: Json = usage.data?.data
  return (
    <Page
      title="Usage"
      sentence={
        data === undefined
          ? undefined
          : `Plan ${data.plan}, month ${data.period}; counted anew on ${data.reset_at.slice(0, 10)}.`
      }
    >
      <Problem error={usage.error} />
      {data === undefined ? (
        <Waiting />
      ) : (
        <ul className="grid gap-4">
          {KINDS.map(([kind, title]) => (
            <li key={kind}>
              <p className="flex justify-between gap-4">
                <span>{title}</span>
                <span className="text-quiet">
                  {data[kind].used.toLocaleString()}{' '}
                  {data[kind].limit === null ? 'used, no limit' : `of ${data[kind].limit.toLocaleString()}`}
                </span>
              </p>
              {data[kind].limit !== null && (
                <progress
                  className="h-2 w-full accent-brass"
                  max={data[kind].limit}
                  value={data[kind].used}
                  aria-label={title}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {limits.data !== undefined && (
        <Section title="Rate limits">
          <Facts
            facts={Object.entries(limits.data.data.limits.rate as Record<string, Json>).map(
              ([kind, { limit, window_seconds: seconds }]) => [kind.replaceAll('_', ' '), `${limit} in ${seconds} s`],
            )}
          />
        </Section>
      )}
    </Page>
  )
}

export function Templates() {
  const [draft, setDraft] = useState({ name: '', subject: '', html: '', text: '' })
  const [error, setError] = useState<unknown>(null)
  const [preview, setPreview] = useState<Json>(null)
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      const { name, subject, html, text } = draft
      await call('POST', '/templates', { name, subject, ...(html !== '' && { html }), ...(text !== '' && { text }) })
      setDraft({ name: '', subject: '', html: '', text: '' })
      await refresh('/templates')
    } catch (problem) {
      setError(problem)
    }
  }
  const show = async (id: string): Promise<void> => {
    setPreview((await call('POST', `/templates/${id}/preview`, { variables: {} }).catch(setError))?.data ?? null)
  }
  const set = (field: keyof typeof draft) => (value: string) => setDraft({ ...draft, [field]: value })
  return (
    <Page title="Templates" sentence="Texts with places such as {{name}}, filled in by each send.">
      <Listing
        path="/templates"
        pages="page"
        caption="Templates"
        columns={[
          { head: 'Name', cell: ({ name }) => name },
          { head: 'Subject', cell: ({ subject }) => subject },
          { head: 'Version', right: true, cell: ({ version }) => version },
          { head: 'Changed', wide: true, cell: ({ updated_at: at }) => <Time at={at} /> },
          { head: 'Do', cell: ({ id }) => <Button onClick={() => void show(id)}>Preview</Button> },
        ]}
        empty="No template yet."
      />
      {preview !== null && (
        <Section title="Preview without variables">
          <Code text={`${preview.subject}\n\n${preview.text ?? preview.html ?? ''}`} />
        </Section>
      )}
      <Section title="New template">
        <form onSubmit={(event) => void save(event)} className="grid gap-3">
          <Field label="Name" required value={draft.name} onChange={set('name')} />
          <Field label="Subject" required value={draft.subject} onChange={set('subject')} />
          <Field label="HTML" rows={8} value={draft.html} onChange={set('html')} />
          <Field label="Text" rows={5} value={draft.text} onChange={set('text')} />
          <Problem error={error} />
          <div>
            <Button type="submit" kind="main">
              Save
            </Button>
          </div>
        </form>
      </Section>
    </Page>
  )
}
