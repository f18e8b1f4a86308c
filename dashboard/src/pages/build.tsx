import { useState } from 'react'
import { AddForm } from '../add-form.tsx'
import { call, type Json, refresh, useApi } from '../api.ts'
import { Confirm } from '../confirm.tsx'
import { Listing } from '../listing.tsx'
import { say } from '../say.tsx'
import { AllOrSome, type Part } from '../ticks.tsx'
import { Button, Choice, Code, Copy, Facts, Page, Pending, Problem, Section, State, Time } from '../ui.tsx'

const ROOMS = ['emails', 'domains', 'tracking_domains', 'webhooks', 'suppressions', 'unsubscribes', 'contacts']
const MORE_ROOMS = ['templates', 'api_keys', 'smtp', 'profile', 'bounces']
/** What a key may do, beside everything. */
const SCOPES: readonly (readonly [scope: string, name: string])[] = [
  ['send', 'send'],
  ['stats:read', 'read statistics and events'],
  ['validation', 'validate addresses'],
  ['risk', 'preview risk'],
  ['content', 'score content'],
  ...[...ROOMS, ...MORE_ROOMS].flatMap((room) =>
    ['read', 'write'].map((verb) => [`${room}:${verb}`, `${verb} ${room.replace('_', ' ')}`] as const),
  ),
]

export function Keys() {
  const [mode, setMode] = useState('live')
  const [may, setMay] = useState<Part>({ all: true, some: ['send'] })
  const [made, setMade] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const act = async (method: string, path: string, done: string, body?: object): Promise<void> => {
    setError(null)
    try {
      const answer = await call(method, `/customer/api-keys/${path}`, body)
      setMade(answer?.data?.key ?? null)
      say(done)
    } catch (problem) {
      setError(problem)
    }
    await refresh('/customer/api-keys')
  }
  return (
    <Page title="API keys" sentence="A live key sends to real people; a test key fills the inbox alone.">
      <AddForm
        path="/customer/api-keys"
        fields={[{ name: 'name', label: 'Name, such as the program that uses it' }]}
        button="Make a key"
        also={{ mode, scopes: may.all ? ['full'] : may.some }}
        added={({ key }) => setMade(key)}
      >
        <Choice
          label="Mode"
          value={mode}
          onChange={setMode}
          options={[
            ['live', 'live'],
            ['sandbox', 'test'],
          ]}
        />
        <AllOrSome
          label="It may"
          words={['everything', 'these alone']}
          legend="These"
          options={SCOPES}
          part={may}
          onChange={setMay}
        />
      </AddForm>
      <Problem error={error} />
      <div role="status">{made !== null && <Shown key={made} secret={made} />}</div>
      <Listing
        path="/customer/api-keys"
        pages="page"
        caption="API keys"
        columns={[
          { head: 'Name', main: true, fill: true, cell: ({ name: called }) => called },
          {
            head: 'Key',
            cell: ({ prefix, last4 }) => <code className="font-mono text-xs">{`${prefix}…${last4}`}</code>,
          },
          { head: 'Mode', cell: ({ mode: of }) => (of === 'sandbox' ? 'test' : of) },
          { head: 'Scopes', wide: true, cell: ({ scopes }) => scopes.join(', ') },
          { head: 'Last used', right: true, named: true, cell: ({ last_used_at: at }) => <Time at={at} /> },
          {
            head: 'Do',
            right: true,
            cell: ({ id, name: called, revoked_at: revoked }) =>
              revoked === null ? (
                <span className="inline-flex gap-1">
                  <Confirm
                    small
                    kind="plain"
                    label="Rotate"
                    question={`Make a new secret for «${called}»? The present one works for a day more.`}
                    onYes={() =>
                      void act('POST', `${id}/rotate`, 'The new secret is shown above.', { grace_period_hours: 24 })
                    }
                  />
                  <Confirm
                    small
                    label="Revoke"
                    question={`Revoke «${called}»? Whoever uses it is refused within seconds.`}
                    onYes={() => void act('DELETE', id, `«${called}» is revoked.`)}
                  />
                </span>
              ) : (
                <State name="revoked" />
              ),
          },
        ]}
        empty="No key yet. Make one for each program, so that each can be revoked alone."
      />
    </Page>
  )
}

/** A secret that is shown this once. */
function Shown({ secret }: { readonly secret: string }) {
  return (
    <div className="mb-4 rounded border border-brass p-3">
      <p className="mb-2">The key, shown this once. Keep it where your program reads its secrets.</p>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <Code text={secret} />
        </div>
        <Copy big text={secret} what="the key" />
      </div>
    </div>
  )
}

export function Smtp() {
  const found = useApi('/smtp-credentials')
  const [shown, setShown] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const rotate = async (): Promise<void> => {
    await call('POST', '/smtp-credentials/rotate', { grace_period_hours: 24 }).then(
      () => say('A new password stands; the one before works for a day more.'),
      setError,
    )
    await refresh('/smtp-credentials')
  }
  const data: Json = found.data?.data
  return (
    <Page
      title="SMTP"
      sentence="For programs that speak SMTP rather than HTTP: the same checks, the same events."
      actions={
        <Confirm
          kind="plain"
          label="New password"
          question="Make a new password? The present one works for a day more."
          onYes={() => void rotate()}
        />
      }
    >
      <Problem error={error} />
      {data === undefined ? (
        <Pending error={found.error} />
      ) : (
        <Facts
          facts={[
            ['Host', data.host],
            ['STARTTLS', data.ports.starttls.join(', ')],
            ['Implicit TLS', data.ports.implicit_tls.join(', ')],
            [
              'User',
              <span key="u" className="flex items-center gap-2">
                <code className="font-mono text-xs">{data.username}</code>
                <Copy text={data.username} what="the user" />
              </span>,
            ],
            [
              'Password',
              shown ? (
                <span key="p" className="flex items-center gap-2">
                  <code className="font-mono text-xs break-all">{data.password}</code>
                  <Copy text={data.password} what="the password" />
                </span>
              ) : (
                <Button key="b" small onClick={() => setShown(true)}>
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

const RATES: Readonly<Record<string, string>> = {
  default: 'Most calls',
  send: 'Sending',
  batch: 'Sending batches',
  validation: 'Validation',
  verify: 'Verifying domains',
  health_refresh: 'Health anew',
}

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
          : `Plan ${data.plan}, month ${data.period}; counted anew on ${data.reset_at.slice(0, 10)} at ${data.reset_at.slice(11, 16)} UTC.`
      }
    >
      {data === undefined ? (
        <Pending error={usage.error} />
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
                <progress className="meter" max={data[kind].limit} value={data[kind].used} aria-label={title} />
              )}
            </li>
          ))}
        </ul>
      )}
      {limits.data !== undefined && (
        <Section title="Rate limits">
          <Facts
            facts={Object.entries(limits.data.data.limits.rate as Record<string, Json>).map(
              ([kind, { limit, window_seconds: seconds }]) => [
                RATES[kind] ?? kind,
                `${limit} ${limit === 1 ? 'call' : 'calls'} in ${seconds} s`,
              ],
            )}
          />
        </Section>
      )}
    </Page>
  )
}
