import { useState } from 'react'
import { call, type Json, refresh, useApi } from '../api/api.ts'
import { announce } from '../ui/announcements.tsx'
import { SecretRotation } from '../ui/secret-rotation.tsx'
import { Button, Code, Copy, Facts, NOT_YET, Page, Pending, Problem, Section, Time } from '../ui/ui.tsx'
import { usedOf } from '../words/answers.ts'
import { figure } from '../words/number-format.ts'

export function Smtp() {
  const found = useApi('/smtp-credentials/settings')
  /** Fetched only on request, because each access is recorded. */
  const [password, setPassword] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const show = async (): Promise<void> => {
    setError(null)
    await call('GET', '/smtp-credentials').then((answer) => setPassword(answer.data.password), setError)
  }
  const rotate = async (hours: number): Promise<void> => {
    setError(null)
    await call('POST', '/smtp-credentials/rotate', { grace_period_hours: hours }).then((answer) => {
      setPassword(answer.data.password)
      announce('New password created.')
    }, setError)
    await refresh('/smtp-credentials')
  }
  const data: Json = found.data?.data
  return (
    <Page
      title="SMTP"
      sentence={data === undefined ? NOT_YET : <LastUse at={data.last_used_at} />}
      more="Email over SMTP gets the same checks and events as over HTTP."
      actions={
        <SecretRotation
          scope="smtp:write"
          label="Rotate password"
          question="Create a new password?"
          onYes={(hours) => void rotate(hours)}
        />
      }
    >
      <Problem error={error} />
      {data === undefined ? (
        <Pending error={found.error} />
      ) : (
        <Facts
          facts={[
            [
              'Host',
              <span key="h" className="flex items-center gap-2">
                <code className="font-mono text-xs break-all">{data.host}</code>
                <Copy text={data.host} what="the host" />
              </span>,
            ],
            ['STARTTLS', data.ports.starttls.join(', ')],
            ['Implicit TLS', data.ports.implicit_tls.join(', ')],
            [
              'Username',
              <span key="u" className="flex items-center gap-2">
                <code className="font-mono text-xs break-all">{data.username}</code>
                <Copy text={data.username} what="the username" />
              </span>,
            ],
            [
              'Password',
              password !== null ? (
                <span key="p" className="flex items-center gap-2">
                  <code className="font-mono text-xs break-all">{password}</code>
                  <Copy text={password} what="the password" />
                </span>
              ) : (
                <Button key="b" small onClick={() => void show()}>
                  Show
                </Button>
              ),
            ],
            ['Or', 'username apikey with an API key as the password'],
            ['Last used', <Time key="t" at={data.last_used_at} />],
          ]}
        />
      )}
      {data !== undefined && (
        <Section title="Example" actions={<Copy text={programOf(data)} what="the example" />}>
          <Code text={programOf(data)} />
          <p className="mt-1 text-quiet">
            Uses Nodemailer. X-Tag, X-Metadata, X-Track-Opens, X-Track-Clicks, X-Stream, X-Scheduled-At,
            X-Idempotency-Key and X-Sandbox are read by this service and removed before sending.
          </p>
        </Section>
      )}
    </Page>
  )
}

function LastUse({ at }: { readonly at: string | null }) {
  if (at === null) return 'No app has signed in over SMTP yet.'
  return (
    <>
      An app last signed in over SMTP: <Time at={at} />.
    </>
  )
}

/** Never contains the password: copied code ends up in repositories. */
function programOf({ host, ports, username }: Json): string {
  const [port = ports.implicit_tls[0]] = ports.starttls
  const isImplicit = ports.starttls.length === 0
  return `import nodemailer from 'nodemailer'

const transport = nodemailer.createTransport({
  host: '${host}',
  port: ${port},
  ${isImplicit ? 'secure: true' : 'requireTLS: true'},
  auth: { user: '${username}', pass: process.env.SMTP_PASSWORD },
})
await transport.sendMail({
  from: 'you@example.com',
  to: 'someone@example.net',
  subject: 'Hello',
  text: 'It works.',
  headers: { 'X-Tag': 'first' },
})`
}

const KINDS: readonly (readonly [string, string])[] = [
  ['emails', 'Emails'],
  ['validations', 'Validations'],
  ['content_checks', 'Content checks'],
  ['risk_previews', 'Risk previews'],
]

const RATES: Readonly<Record<string, string>> = {
  default: 'Most requests',
  send: 'Sending',
  batch: 'Sending batches',
  validation: 'Validation',
  verify: 'Verifying domains',
  health_refresh: 'Health recalculation',
}

export function Usage() {
  const usage = useApi('/customer/usage', { always: 15_000 })
  const limits = useApi('/customer/limits')
  const data: Json = usage.data?.data
  return (
    <Page
      title="Usage"
      sentence={
        data === undefined
          ? NOT_YET
          : `${usedOf(data, KINDS)} Plan ${data.plan}; resets on ${data.reset_at.slice(0, 10)} at ${data.reset_at.slice(11, 16)} UTC.`
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
                  {figure(data[kind].used)}{' '}
                  {data[kind].limit === null ? 'used, no limit' : `of ${figure(data[kind].limit)}`}
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
                `${limit} ${limit === 1 ? 'request' : 'requests'} in ${seconds} s`,
              ],
            )}
          />
        </Section>
      )}
    </Page>
  )
}
