// What an account may do: its plan, and the limits and features that override it, set by the operator.

import { type FormEvent, useState } from 'react'
import type { Json } from '../api/api.ts'
import { Confirm } from '../ui/confirm.tsx'
import { words } from '../ui/listing.tsx'
import { Table } from '../ui/table.tsx'
import { Button, Choice, Section, State } from '../ui/ui.tsx'
import { figure } from '../words/number-format.ts'

export const PLANS = ['starter', 'professional', 'business', 'enterprise', 'custom'] as const
export const FEATURES: readonly (readonly [name: string, label: string])[] = [
  ['risk', 'Risk assessment'],
  ['content_events', 'Content events'],
]
const LIMITS: readonly (readonly [name: string, label: string])[] = [
  ['emails', 'Emails per month'],
  ['validations', 'Validations per month'],
  ['content_checks', 'Content checks per month'],
  ['risk_previews', 'Risk previews per month'],
  ['webhooks', 'Webhook endpoints'],
]

/** Resolves to whether it was saved. */
type Change = (terms: object) => Promise<boolean>

export function AccountTerms({ account, change }: { readonly account: Json; readonly change: Change }) {
  return (
    <>
      <Section title="Plan and limits">
        <SetPlan key={account.plan} account={account} set={(plan) => void change({ plan })} />
        <Table
          caption="Limits"
          rows={LIMITS.map(([name, label]) => ({ id: name, label }))}
          columns={[
            { head: 'Limit', main: true, cell: ({ label }) => label },
            {
              head: 'Used',
              right: true,
              named: true,
              cell: ({ id: name }) => (name in account.used_this_month ? figure(account.used_this_month[name]) : '–'),
            },
            {
              head: 'Current limit',
              right: true,
              cell: ({ id: name }) => (
                <>
                  {account.limits[name] === null ? 'unlimited' : figure(account.limits[name])}
                  <Origin own={name in account.own_limits} />
                </>
              ),
            },
            {
              head: 'Set',
              cell: ({ id: name, label }) => (
                <SetLimit
                  label={`New limit: ${label}`}
                  own={name in account.own_limits}
                  set={(value) => change({ limits: { [name]: value } })}
                />
              ),
            },
          ]}
          empty=""
        />
      </Section>
      <Section title="Features">
        <Table
          caption="Features"
          rows={FEATURES.map(([name, label]) => ({ id: name, label, on: account.features[name] === true }))}
          columns={[
            { head: 'Feature', main: true, cell: ({ label }) => label },
            {
              head: 'Status',
              cell: ({ id: name, on }) => (
                <>
                  <State name={on ? 'active' : 'off'} word={on ? 'on' : 'off'} />
                  <Origin own={name in account.own_features} />
                </>
              ),
            },
            {
              head: 'Set',
              acts: true,
              cell: ({ id: name, on }) => (
                <span className="flex gap-2">
                  <Button onClick={() => void change({ features: { [name]: !on } })}>Turn {on ? 'off' : 'on'}</Button>
                  {name in account.own_features && (
                    <Button onClick={() => void change({ features: { [name]: null } })}>Reset to plan</Button>
                  )}
                </span>
              ),
            },
          ]}
          empty=""
        />
      </Section>
    </>
  )
}

function Origin({ own }: { readonly own: boolean }) {
  return <span className="text-quiet"> {own ? 'custom' : 'from plan'}</span>
}

/** Applied by a button, not on selection: arrow keys change a closed select at once. */
function SetPlan({ account, set }: { readonly account: Json; readonly set: (plan: string) => void }) {
  const [plan, setPlan] = useState<string>(account.plan)
  return (
    <div className="mb-4 flex items-end gap-3">
      <Choice label="Plan" value={plan} onChange={setPlan} options={words(...PLANS)} />
      {plan !== account.plan && (
        <Confirm
          kind="plain"
          label="Change plan"
          question={`Move ${account.name} to the ${plan} plan instead of ${account.plan}? The limits and features of that plan apply immediately; custom ones stay.`}
          onYes={() => set(plan)}
        />
      )}
    </div>
  )
}

function SetLimit({
  label,
  own,
  set,
}: {
  readonly label: string
  readonly own: boolean
  readonly set: (value: number | null | 'plan') => Promise<boolean>
}) {
  const [text, setText] = useState('')
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (await set(text.trim() === 'unlimited' ? null : Number(text))) setText('')
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex gap-2">
      <input
        aria-label={label}
        value={text}
        required
        pattern="[0-9]+|unlimited"
        placeholder="or unlimited"
        onChange={(event) => setText(event.target.value)}
        className="w-28 rounded border border-line bg-raised px-2 py-1 text-ink"
      />
      <Button type="submit">Set</Button>
      {own && <Button onClick={() => void set('plan')}>Reset to plan</Button>}
    </form>
  )
}
