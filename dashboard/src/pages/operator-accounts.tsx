// The operator's pages about accounts: list, single account, plans, audit log.

import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { AccountTerms, FEATURES, PLANS } from '../account/account-terms.tsx'
import { besides, call, faultOf, type Json, refresh, useApi, withQuery } from '../api/api.ts'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Listing, useFirstPage, words } from '../ui/listing.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
import { Table } from '../ui/table.tsx'
import { Button, Choice, Facts, Field, NOT_YET, Page, Pending, Problem, Section, State, Time } from '../ui/ui.tsx'
import { Unsaved } from '../ui/unsaved.tsx'
import { counted, figure } from '../words/number-format.ts'

export function Accounts() {
  const all = useApi(withQuery('/operator/accounts', { limit: 1 }))
  const held = useApi(withQuery('/operator/accounts', { limit: 1, suspended: true }))
  const [adding, setAdding] = useState(false)
  const [made, setMade] = useState<readonly Json[]>([])
  const total: number | undefined = all.data?.pagination.total
  const suspended: number = held.data?.pagination.total ?? 0
  const sentence =
    total === undefined
      ? NOT_YET
      : `${figure(total)} ${total === 1 ? 'account' : 'accounts'}; ${suspended || 'none'} suspended.`
  return (
    <Page
      title="Accounts"
      sentence={sentence}
      actions={
        <Button kind="main" onClick={() => setAdding(!adding)}>
          {adding ? 'Close' : 'New account'}
        </Button>
      }
    >
      {adding && <NewAccount added={(account) => setMade((so) => withOne(so, account))} />}
      <div role="status">
        {made.map(({ name, api_key: live, test_api_key: test, dashboard_password: password }) => (
          <ShownOnce
            key={live}
            text={`live key   ${live}\ntest key   ${test}\npassword   ${password}`}
            what="the keys and the password"
          >
            Shown only once. Pass these to the owner of {name} securely:
          </ShownOnce>
        ))}
      </div>
      <Listing
        path="/operator/accounts"
        pages="page"
        caption="Accounts"
        filters={[
          { name: 'search', label: 'Name, email or ID' },
          { name: 'plan', label: 'Plan', options: words(...PLANS) },
          {
            name: 'suspended',
            label: 'Status',
            options: [
              ['false', 'active'],
              ['true', 'suspended'],
            ],
          },
        ]}
        columns={[
          {
            head: 'Account',
            main: true,
            cell: (row) => (
              <Link to="/operator/accounts/$id" params={{ id: row.id }} className="underline">
                {row.name}
              </Link>
            ),
          },
          { head: 'Email', wide: true, cell: ({ email }) => email },
          { head: 'Plan', wide: true, cell: ({ plan }) => plan },
          { head: 'Status', cell: ({ suspended_at: at }) => <State name={at === null ? 'active' : 'suspended'} /> },
          {
            head: 'Emails this month',
            right: true,
            named: true,
            cell: ({ emails_this_month: count }) => figure(count),
          },
          { head: 'Created', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty="No accounts yet. Create the first one with “New account” above."
      />
    </Page>
  )
}

/** A double click tells of one account twice. */
function withOne(so: readonly Json[], account: Json): readonly Json[] {
  return [...so.filter(({ api_key: key }) => key !== account.api_key), account]
}

function NewAccount({ added }: { readonly added: (account: Json) => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [plan, setPlan] = useState('enterprise')
  const [error, setError] = useState<unknown>(null)
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      added({ ...(await call('POST', '/operator/accounts', { email, name, plan })).data, name })
      // What is typed meanwhile belongs to the next one.
      setEmail((now) => (now === email ? '' : now))
      setName((now) => (now === name ? '' : now))
      await refresh('/operator/accounts')
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <div className="mb-6 rounded border border-line p-4">
      <Unsaved
        waits={() => `${email}${name}`.trim() !== ''}
        what="What you typed is not added yet."
        leaving="Leave without adding"
      />
      <form onSubmit={(event) => void add(event)} className="flex flex-wrap items-end gap-3">
        <div className="min-w-52 flex-1">
          <Field
            label="Owner email"
            type="email"
            required
            value={email}
            onChange={setEmail}
            fault={faultOf(error, 'email')}
          />
        </div>
        <div className="min-w-52 flex-1">
          <Field label="Account name" required value={name} onChange={setName} fault={faultOf(error, 'name')} />
        </div>
        <Choice label="Account plan" value={plan} onChange={setPlan} options={words(...PLANS)} />
        <Button type="submit" kind="main">
          Create
        </Button>
      </form>
      <Problem error={besides(error, ['email', 'name'])} />
    </div>
  )
}

export function Account() {
  const { id } = useParams({ strict: false }) as { id: string }
  const path = `/operator/accounts/${id}`
  const found = useApi(path)
  const [error, setError] = useState<unknown>(null)
  const account: Json = found.data?.data
  const act = async (method: string, where: string, body?: object): Promise<boolean> => {
    setError(null)
    try {
      await call(method, where, body)
      await refresh('/operator')
      return true
    } catch (problem) {
      setError(problem)
      return false
    }
  }
  const open = async (): Promise<void> => {
    if (await act('POST', `${path}/open`)) location.assign('/')
  }
  if (account === undefined)
    return (
      <Page title="Account">
        <Pending error={found.error} />
      </Page>
    )
  const suspended = account.suspended_at !== null
  const turn = (verb: 'suspend' | 'resume') => void act('POST', `${path}/${verb}`)
  return (
    <Page
      title={account.name}
      sentence={
        suspended ? (
          <>
            Suspended since <Time at={account.suspended_at} />: it can read, but not send.
          </>
        ) : (
          `${counted(account.used_this_month.emails, 'email')} accepted this month${
            account.limits.emails === null ? '' : ` of ${figure(account.limits.emails)}`
          }.`
        )
      }
      actions={
        <span className="flex flex-wrap gap-2">
          <Button kind="main" onClick={() => void open()}>
            Open as owner
          </Button>
          {suspended ? (
            <Button onClick={() => turn('resume')}>Resume</Button>
          ) : (
            <Confirm
              label="Suspend"
              question={`Suspend ${account.name}? It can read, but not send; its queue stops within seconds.`}
              onYes={() => turn('suspend')}
            />
          )}
        </span>
      }
    >
      <Problem error={error} />
      <Facts
        facts={[
          ['Status', <State key="state" name={suspended ? 'suspended' : 'active'} />],
          ['Email', account.email],
          [
            'ID',
            <code key="id" className="font-mono text-xs break-all">
              {account.id}
            </code>,
          ],
          ['Created', <Time key="since" at={account.created_at} />],
        ]}
      />
      <AccountTerms account={account} change={(terms) => act('PATCH', path, terms)} />
      <Section title="Users">
        <Table
          caption="Users"
          rows={account.users as readonly Json[]}
          columns={[
            { head: 'Email', main: true, cell: ({ email }) => email },
            { head: 'Role', cell: ({ role, operator }) => (operator ? `${role}, operator` : role) },
            { head: 'Last seen', wide: true, cell: ({ last_seen_at: at }) => <Time at={at} /> },
          ]}
          empty="No users. Open the account as its owner and add one in its settings."
        />
      </Section>
      <Section title="Audit log">
        <Deeds accountId={id} />
      </Section>
      <Section title="Delete account">
        <DeleteAccount account={account} />
      </Section>
    </Page>
  )
}

function DeleteAccount({ account: { id, name, email } }: { readonly account: Json }) {
  const navigate = useNavigate()
  const [confirm, setConfirm] = useState('')
  const [error, setError] = useState<unknown>(null)
  const remove = async (): Promise<void> => {
    setError(null)
    try {
      await call('POST', `/operator/accounts/${id}/delete`, { confirm })
      await navigate({ to: '/operator/accounts' })
      await refresh('/operator/accounts')
      announce(`${name} is deleted. Its data will be soon.`)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <>
      <Problem error={error} />
      <p className="mb-3">
        Ends its keys, users and sending at once, and deletes its data: emails, statistics, domains, contacts, lists.
        Mail that waits is not sent.
      </p>
      <Confirm
        label="Delete account"
        question={`Delete ${name} and all its data? This cannot be undone.`}
        onYes={() => void remove()}
      >
        <Field label={`Type ${email} to confirm`} value={confirm} onChange={setConfirm} />
      </Confirm>
    </>
  )
}

const DEEDS: Readonly<Record<string, string>> = {
  'account.create': 'created the account',
  'account.plan': 'changed the plan',
  'account.limits': 'changed limits',
  'account.features': 'changed features',
  'account.suspend': 'suspended the account',
  'account.resume': 'resumed the account',
  'account.delete': 'deleted the account',
  'account.erased': 'deleted the last of its data',
  'account.open': 'opened the account as owner',
  'account.close': 'left the account',
  'account.request': 'made a change inside',
  'smtp_password.read': 'viewed an SMTP password',
  'queue.pause': 'paused a destination',
  'queue.resume': 'resumed a destination',
  'queue.retry': 'retried a destination',
  'operator.grant': 'granted operator access',
  'operator.revoke': 'revoked operator access',
  'operator.setup': 'set up the dashboard',
}

function Deeds({ accountId }: { readonly accountId?: string }) {
  return (
    <Listing
      path="/operator/actions"
      pages="page"
      fixed={accountId === undefined ? {} : { account_id: accountId }}
      caption="Audit log"
      columns={[
        { head: 'Action', main: true, cell: ({ action, detail }) => <Deed action={action} detail={detail} /> },
        { head: 'Operator', cell: ({ operator }) => operator },
        { head: 'When', cell: ({ at }) => <Time at={at} /> },
        ...(accountId === undefined
          ? [{ head: 'Account', wide: true, cell: (row: Json): ReactNode => <About row={row} /> }]
          : []),
        { head: 'From', wide: true, cell: ({ ip }) => ip ?? 'console' },
      ]}
      empty="Nothing yet. Every change that an operator makes is recorded here."
    />
  )
}

function Deed({ action, detail }: { readonly action: string; readonly detail: Json }) {
  const more = Object.entries(detail as Record<string, string | number | boolean | null>)
    .map(([name, value]) =>
      action === 'account.request' ? String(value) : `${name} ${value === null ? 'unlimited' : String(value)}`,
    )
    .join(action === 'account.request' ? ' ' : ', ')
  return (
    <>
      {DEEDS[action] ?? action}
      {more !== '' && <span className="block font-mono text-xs break-all text-quiet">{more}</span>}
    </>
  )
}

function About({ row }: { readonly row: Json }) {
  if (row.account_name === null) return row.account_id === null ? '–' : 'deleted'
  return (
    <Link to="/operator/accounts/$id" params={{ id: row.account_id }} className="underline">
      {row.account_name}
    </Link>
  )
}

function LogSentence() {
  const first = useFirstPage('/operator/actions', 'page')
  if (first === undefined) return NOT_YET
  const [last] = first.rows
  if (last === undefined) return 'Nothing is recorded yet.'
  return (
    <>
      {counted(first.total, 'entry', 'entries')}, the latest by {last.operator}, <Time at={last.at} />.
    </>
  )
}

export function OperatorLog() {
  return (
    <Page
      title="Audit log"
      sentence={<LogSentence />}
      more="Every change that operators make is recorded: to accounts and destinations, and inside accounts other than their own."
    >
      <Deeds />
    </Page>
  )
}

function featuresOf({ features }: Json): string {
  const names = FEATURES.filter(([name]) => features[name]).map(([, label]) => label)
  return names.length === 0 ? 'none' : names.join(', ')
}

function plansIn(plans: readonly Json[]): string {
  const used = plans.filter(({ accounts }) => accounts > 0)
  if (used.length === 0) return 'No account is on any plan.'
  return `${used.map(({ plan, accounts }) => `${counted(accounts, 'account')} on ${plan}`).join(', ')}.`
}

export function PlansPage() {
  const found = useApi('/operator/plans')
  const limit = (name: string) => (row: Json) => (row.limits[name] === null ? 'unlimited' : figure(row.limits[name]))
  return (
    <Page
      title="Plans"
      sentence={found.data === undefined ? NOT_YET : plansIn(found.data.data)}
      more="Change plans with POSTHORN_PLANS_FILE; set custom limits for one account on its page."
    >
      <Table
        caption="Plans"
        rows={found.data?.data as readonly Json[] | undefined}
        error={found.error}
        keyOf={({ plan }) => plan}
        columns={[
          { head: 'Plan', main: true, cell: ({ plan }) => plan },
          { head: 'Accounts', right: true, named: true, cell: ({ accounts }) => figure(accounts) },
          { head: 'Emails', right: true, named: true, cell: limit('emails') },
          { head: 'Validations', right: true, named: true, cell: limit('validations') },
          { head: 'Content checks', right: true, named: true, cell: limit('content_checks') },
          { head: 'Risk previews', right: true, named: true, cell: limit('risk_previews') },
          { head: 'Webhooks', right: true, named: true, cell: limit('webhooks') },
          {
            head: 'Sends per second',
            right: true,
            named: true,
            cell: ({ rates }) => `${rates.send.per_second} (burst ${rates.send.burst})`,
          },
          { head: 'Features', named: true, cell: featuresOf },
        ]}
        empty=""
      />
    </Page>
  )
}
