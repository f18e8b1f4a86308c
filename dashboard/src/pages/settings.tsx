import { type FormEvent, useState } from 'react'
import { LANGUAGES } from '../../../src/platform/languages.ts'
import { SecondFactor } from '../account/second-factor.tsx'
import { besides, call, faultOf, type Json, refresh, useApi } from '../api/api.ts'
import { EditableIfPermitted } from '../api/permissions.tsx'
import { TRACKING_SWITCHES } from '../domains/tracking-settings.tsx'
import { AddForm } from '../ui/add-form.tsx'
import { announce } from '../ui/announcements.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { useEdited } from '../ui/edited-form.ts'
import { Table } from '../ui/table.tsx'
import { Button, Choice, Field, NOT_YET, Page, Pending, Problem, Section, Time } from '../ui/ui.tsx'
import { Unsaved } from '../ui/unsaved.tsx'

export function Settings() {
  const me = useApi('/session')
  const profile = useApi('/customer/profile')
  const data: Json = me.data?.data
  return (
    <Page title="Settings" sentence={data === undefined ? NOT_YET : signedIn(data.user)}>
      {profile.data === undefined ? (
        <Pending error={profile.error} />
      ) : (
        <>
          <Profile key={profile.data.data.id} profile={profile.data.data} />
          <Switches profile={profile.data.data} />
          <Retention key={`kept ${profile.data.data.id}`} profile={profile.data.data} />
        </>
      )}
      <Section title="Password">
        <Password />
      </Section>
      {data !== undefined && (
        <Section title="Two-factor authentication">
          <SecondFactor on={data.user.totp_enabled} />
        </Section>
      )}
      {data?.user.role === 'owner' && (
        <Section title="Users">
          <Users />
        </Section>
      )}
      <Section title="Active sessions">
        <Sessions />
      </Section>
    </Page>
  )
}

function signedIn({ email, role, totp_enabled: on }: Json): string {
  return `Signed in as ${email}, ${role}; two-factor authentication is ${on ? 'on' : 'off'}.`
}

const SWITCHES: readonly (readonly [field: string, label: string])[] = [
  ...TRACKING_SWITCHES,
  ['enforce_sender_verification', 'Send only from verified domains'],
  ['block_disposable_emails', 'Refuse disposable addresses'],
]

const PATH = '/customer/profile'
const FIELDS = ['name', 'company', 'email', 'timezone', 'locale', 'disposable_confidence_threshold']

type Typed = Readonly<
  Record<'name' | 'company' | 'email' | 'timezone' | 'locale' | 'disposable_confidence_threshold', string>
>

function typedOf(profile: Json): Typed {
  return {
    name: String(profile.name),
    company: String(profile.company ?? ''),
    email: String(profile.email),
    timezone: String(profile.timezone),
    locale: String(profile.locale),
    disposable_confidence_threshold: String(profile.disposable_confidence_threshold),
  }
}

/** In the form that the API takes. */
function fieldsOf(typed: Typed): object {
  const { company, disposable_confidence_threshold: threshold } = typed
  return {
    ...typed,
    company: company.trim() === '' ? null : company,
    disposable_confidence_threshold: Number(threshold),
  }
}

const LANGUAGE_NAMES = new Intl.DisplayNames('en', { type: 'language' })

/** The languages with translations, and the stored one when a program set another, such as `de-AT`. */
function languagesWith(kept: string): readonly (readonly [tag: string, name: string])[] {
  const tags: readonly string[] = LANGUAGES
  return (tags.includes(kept) ? tags : [...tags, kept]).map((tag) => [tag, LANGUAGE_NAMES.of(tag) ?? tag])
}

function Profile({ profile }: { readonly profile: Json }) {
  const { typed, setTyped, error, save, waits } = useEdited(profile, {
    ...{ path: PATH, address: PATH, method: 'PATCH', typedOf, fieldsOf, told: 'Saved.' },
  })
  const set = (field: keyof Typed) => (value: string) => setTyped({ ...typed, [field]: value })
  const submit = async (event: FormEvent): Promise<void> => {
    await save(event)
    await refresh('/session')
  }
  return (
    <Section title="Account">
      <EditableIfPermitted scope="profile:write">
        <Unsaved waits={() => waits} />
        <form onSubmit={(event) => void submit(event)} className="grid items-start gap-3 sm:grid-cols-2">
          <Field label="Name" required value={typed.name} onChange={set('name')} fault={faultOf(error, 'name')} />
          <Field label="Company" value={typed.company} onChange={set('company')} fault={faultOf(error, 'company')} />
          <Field
            label="Account email"
            type="email"
            required
            value={typed.email}
            onChange={set('email')}
            hint="Receives alerts that need attention: a changed health grade, missing DNS records, quotas nearly used up. Not used to sign in."
            fault={faultOf(error, 'email')}
          />
          <Field
            label="Time zone"
            required
            value={typed.timezone}
            onChange={set('timezone')}
            options={Intl.supportedValuesOf('timeZone')}
            hint="For apps that read the profile. Times and days here use your browser's time zone; the API gives statistics in any."
            fault={faultOf(error, 'timezone')}
          />
          <Choice
            label="Language for recipients"
            value={typed.locale}
            onChange={set('locale')}
            options={languagesWith(String(profile.locale))}
            hint="For the pages behind links in your emails (unsubscribe, confirm) and the built-in confirmation email."
          />
          <Field
            label="Disposable address threshold"
            type="number"
            step="0.01"
            required
            value={typed.disposable_confidence_threshold}
            onChange={set('disposable_confidence_threshold')}
            hint="Confidence from 0 to 1. Where disposable addresses are refused, those above it are blocked; others from 0.5 get a warning."
            fault={faultOf(error, 'disposable_confidence_threshold')}
          />
          <div className="sm:col-span-2">
            <Button type="submit" disabled={!waits}>
              Save
            </Button>
          </div>
        </form>
        <Problem error={besides(error, FIELDS)} />
      </EditableIfPermitted>
    </Section>
  )
}

function Switches({ profile }: { readonly profile: Json }) {
  const [error, setError] = useState<unknown>(null)
  const change = async (body: object): Promise<void> => {
    setError(null)
    await call('PATCH', PATH, body).then(() => announce('Saved.'), setError)
    await refresh(PATH)
  }
  return (
    <Section title="Tracking and sending">
      <p className="mb-2 text-quiet">
        Saved as soon as you change them. A sending domain or a single email can override the tracking.
      </p>
      <EditableIfPermitted scope="profile:write">
        <Problem error={error} />
        <ul className="grid gap-1">
          {SWITCHES.map(([field, label]) => (
            <li key={field}>
              <Checkbox checked={profile[field] === true} onChange={(on) => void change({ [field]: on })}>
                {label}
              </Checkbox>
            </li>
          ))}
        </ul>
      </EditableIfPermitted>
    </Section>
  )
}

/** Retention time of emails. Shortening it cannot be undone, so it asks for confirmation. */
function Retention({ profile }: { readonly profile: Json }) {
  const [days, setDays] = useState(String(profile.retention_days))
  const [error, setError] = useState<unknown>(null)
  const kept = String(profile.retention_days)
  const isLess = days !== '' && Number(days) < profile.retention_days
  const save = async (): Promise<void> => {
    setError(null)
    await call('PATCH', '/customer/profile', { retention_days: Number(days) }).then(() => announce('Saved.'), setError)
    await refresh('/customer/profile')
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isLess) void save()
  }
  return (
    <Section title="Email retention">
      <form onSubmit={submit} className="flex flex-wrap items-start gap-3">
        <EditableIfPermitted scope="profile:write">
          <div className="w-80 max-w-full">
            <Field
              label="Days"
              type="number"
              required
              value={days}
              onChange={setDays}
              hint="1 to 3650. Then content, attempts, events and bounces are deleted. Statistics stay, and so do suppressions and unsubscribes."
              fault={faultOf(error, 'retention_days')}
            />
          </div>
          <div className="sm:pt-[25px]">
            {isLess ? (
              <Confirm
                label="Save"
                yes="Shorten retention"
                question={`Email data older than ${days} ${days === '1' ? 'day' : 'days'} will be deleted within a day. This cannot be undone.`}
                onYes={() => void save()}
              />
            ) : (
              <Button type="submit" disabled={days === kept}>
                Save
              </Button>
            )}
          </div>
        </EditableIfPermitted>
      </form>
      <Problem error={besides(error, ['retention_days'])} />
    </Section>
  )
}

function Password() {
  const [current, setCurrent] = useState('')
  const [wanted, setWanted] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [done, setDone] = useState(false)
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    setDone(false)
    try {
      await call('PUT', '/session/password', { current_password: current, new_password: wanted })
      setCurrent('')
      setWanted('')
      setDone(true)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-wrap items-end gap-3">
      <Field
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
        value={current}
        onChange={setCurrent}
        fault={faultOf(error, 'current_password')}
      />
      <Field
        label="New password, at least 12 characters"
        type="password"
        autoComplete="new-password"
        required
        value={wanted}
        onChange={setWanted}
        fault={faultOf(error, 'new_password')}
      />
      <Button type="submit">Change password</Button>
      <Problem error={besides(error, ['current_password', 'new_password'])} />
      {done && <p role="status">Password changed. All other sessions were signed out.</p>}
    </form>
  )
}

const ROLES = ['owner', 'developer', 'viewer'] as const
const MAY: Readonly<Record<string, string>> = {
  owner: 'can do everything here, including users and keys',
  developer: 'can do everything except manage users and keys',
  viewer: 'can view everything here and change nothing',
}

/** Applied by a button, not on selection: arrow keys change a closed select at once. */
function SetRole({
  of,
  role,
  set,
}: {
  readonly of: string
  readonly role: string
  readonly set: (role: string) => void
}) {
  const [wanted, setWanted] = useState(role)
  return (
    <span className="inline-flex gap-2">
      <select
        aria-label={`Role of ${of}`}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
        className="min-h-6 rounded border border-line bg-raised px-1 text-ink"
      >
        {ROLES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {wanted !== role && (
        <Confirm
          small
          kind="plain"
          label="Change role"
          question={`Change ${of} to ${wanted}? This role ${MAY[wanted] ?? ''}.`}
          onYes={() => set(wanted)}
        />
      )}
    </span>
  )
}

function Users() {
  const found = useApi('/users')
  const [role, setRole] = useState('developer')
  const [made, setMade] = useState<Json>(null)
  const [error, setError] = useState<unknown>(null)
  const me = useApi('/session').data?.data.user.id
  const act = async (method: string, path: string, body?: object): Promise<Json> => {
    setError(null)
    const answer = await call(method, path, body).catch(setError)
    await refresh('/users')
    return answer
  }
  const reset = async (id: string): Promise<void> => {
    setMade(null)
    setMade((await act('POST', `/users/${id}/password`, {}))?.data ?? null)
  }
  return (
    <div>
      <AddForm
        path="/users"
        fields={[{ name: 'email', label: 'Email', type: 'email' }]}
        button="Add"
        also={{ role }}
        added={setMade}
      >
        <Choice label="Role" value={role} onChange={setRole} options={ROLES.map((one) => [one, one])} />
      </AddForm>
      <p className="mb-4 max-w-[70ch] text-quiet">
        Viewers can only read. Developers can do everything except create or revoke API keys and change the SMTP
        password. Owners can do that too, and manage users.
      </p>
      <Problem error={error} />
      {made !== null && (
        <p role="status" className="mb-3">
          New password for {made.email}, shown only once: <code className="font-mono">{made.password}</code>
        </p>
      )}
      <Table
        caption="Users"
        rows={found.data?.data as readonly Json[] | undefined}
        error={found.error}
        columns={[
          { head: 'Email', main: true, cell: ({ email: address }) => address },
          {
            head: 'Role',
            cell: ({ id, role, email: of }) => (
              <SetRole
                key={role}
                of={of}
                role={role}
                set={(wanted) => void act('PATCH', `/users/${id}`, { role: wanted })}
              />
            ),
          },
          { head: 'Two-factor', wide: true, cell: ({ totp_enabled: has }) => (has ? 'yes' : 'no') },
          { head: 'Last seen', wide: true, cell: ({ last_seen_at: at }) => <Time at={at} /> },
          {
            head: 'Actions',
            acts: true,
            right: true,
            cell: ({ id, email: address }) => (
              <>
                {id !== me && (
                  <Confirm
                    small
                    kind="plain"
                    label="Reset password"
                    question={`Give ${address} a new password? Their sessions end, and their second factor is removed.`}
                    onYes={() => void reset(id)}
                  />
                )}{' '}
                <Confirm
                  small
                  label="Remove"
                  question={`Remove ${address}? They are signed out immediately.`}
                  onYes={() => void act('DELETE', `/users/${id}`)}
                />
              </>
            ),
          },
        ]}
        empty="No users."
      />
    </div>
  )
}

function Sessions() {
  const found = useApi('/sessions')
  const [error, setError] = useState<unknown>(null)
  const end = async (id: string): Promise<void> => {
    setError(null)
    await call('DELETE', `/sessions/${id}`).then(() => announce('Session ended.'), setError)
    await refresh('/sessions')
  }
  return (
    <>
      <Problem error={error} />
      <Table
        caption="Sessions"
        rows={found.data?.data as readonly Json[] | undefined}
        error={found.error}
        columns={[
          {
            head: 'Browser',
            main: true,
            fill: true,
            cell: ({ user_agent: agent }) => <span title={agent ?? ''}>{browserOf(agent ?? '')}</span>,
          },
          { head: 'IP address', named: true, cell: ({ ip }) => ip },
          { head: 'Last seen', named: true, cell: ({ last_seen_at: at }) => <Time at={at} /> },
          {
            head: 'Actions',
            acts: true,
            cell: ({ id, current }) =>
              current ? (
                'this session'
              ) : (
                <Button small onClick={() => void end(id)}>
                  End session
                </Button>
              ),
          },
        ]}
        empty="No other sessions."
      />
    </>
  )
}

const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** Enough to recognize one's own session; the full user agent is shown on hover. */
function browserOf(agent: string): string {
  const [, browser] = BROWSERS.find(([sign]) => sign.test(agent)) ?? []
  const [, system] = SYSTEMS.find(([sign]) => sign.test(agent)) ?? []
  return browser === undefined ? agent : system === undefined ? browser : `${browser} on ${system}`
}
