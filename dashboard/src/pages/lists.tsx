import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call, type Json, refresh } from '../api.ts'
import { Listing, words } from '../listing.tsx'
import { Button, Field, Page, Problem, State, Time } from '../ui.tsx'

function AddAddress({ path, button }: { readonly path: string; readonly button: string }) {
  const [email, setEmail] = useState('')
  const [error, setError] = useState<unknown>(null)
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      await call('POST', path, { email })
      setEmail('')
      await refresh(path)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <>
      <form onSubmit={(event) => void add(event)} className="mb-4 flex flex-wrap items-end gap-3">
        <div className="min-w-64 flex-1">
          <Field label="Address" type="email" required value={email} onChange={setEmail} />
        </div>
        <Button type="submit">{button}</Button>
      </form>
      <Problem error={error} />
    </>
  )
}

function useRemoval(path: string): readonly [error: unknown, remove: (address: string, key: string) => void] {
  const [error, setError] = useState<unknown>(null)
  const remove = async (address: string, key: string): Promise<void> => {
    if (!confirm(`Mail may go to ${address} again. Go on?`)) return
    setError(null)
    await call('DELETE', `${path}/${encodeURIComponent(key)}`).catch(setError)
    await refresh(path)
  }
  return [error, (address, key) => void remove(address, key)]
}

export function Suppressions() {
  const [error, remove] = useRemoval('/customer/suppressions')
  return (
    <Page
      title="Suppressions"
      sentence="Addresses that are not mailed because mail to them failed for good, or was complained about. Remove one only when you know that it is right again."
      actions={
        <a href="/api/v1/customer/suppressions/export" download className="rounded border border-line px-3 py-1.5">
          Export CSV
        </a>
      }
    >
      <AddAddress path="/customer/suppressions" button="Suppress" />
      <Problem error={error} />
      <Listing
        path="/customer/suppressions"
        pages="page"
        caption="Suppressed addresses"
        filters={[
          { name: 'search', label: 'Address' },
          {
            name: 'reason',
            label: 'Reason',
            options: words('hard_bounce', 'repeated_soft_bounce', 'complaint', 'spamtrap', 'manual'),
          },
        ]}
        columns={[
          { head: 'Address', cell: ({ email }) => email },
          { head: 'Reason', cell: ({ reason }) => reason.replaceAll('_', ' ') },
          { head: 'Evidence', wide: true, cell: (row: Json) => <Evidence row={row} /> },
          { head: 'Since', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
          { head: 'Do', cell: ({ email }) => <Button onClick={() => remove(email, email)}>Remove</Button> },
        ]}
        empty="Nobody is suppressed. Hard bounces and complaints put addresses here by themselves."
      />
    </Page>
  )
}

function Evidence({ row }: { readonly row: Json }) {
  if (row.email_id === null) return <span className="text-quiet">{row.details ?? row.source}</span>
  return (
    <Link to="/emails/$id" params={{ id: row.email_id }} className="underline">
      {row.details ?? 'the email'}
    </Link>
  )
}

export function Unsubscribes() {
  const [error, remove] = useRemoval('/customer/unsubscribes')
  return (
    <Page
      title="Unsubscribes"
      sentence="People who asked for no more mail. Nothing is sent to them, whatever a request says."
    >
      <AddAddress path="/customer/unsubscribes" button="Add" />
      <Problem error={error} />
      <Listing
        path="/customer/unsubscribes"
        pages="page"
        caption="Unsubscribed addresses"
        filters={[{ name: 'search', label: 'Address' }]}
        columns={[
          { head: 'Address', cell: ({ email }) => email },
          { head: 'How', cell: ({ source }) => source.replaceAll('_', ' ') },
          { head: 'Reason', wide: true, cell: ({ reason }) => reason ?? '' },
          { head: 'Since', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
          { head: 'Do', cell: ({ email }) => <Button onClick={() => remove(email, email)}>Remove</Button> },
        ]}
        empty="Nobody unsubscribed yet."
      />
    </Page>
  )
}

export function Bounces() {
  return (
    <Page
      title="Bounces"
      sentence="Mail that came back. Hard: the address is wrong. Soft: not now. Block: about us, not about the address."
    >
      <Listing
        path="/customer/bounces"
        fixed={{ include_sandbox: true }}
        caption="Bounces"
        filters={[
          { name: 'recipient', label: 'Recipient' },
          { name: 'type', label: 'Type', options: words('hard', 'soft', 'block', 'complaint', 'unknown') },
        ]}
        columns={[
          { head: 'Type', cell: ({ type }) => <State name={type} /> },
          {
            head: 'Recipient',
            cell: ({ email_id: id, recipient }) =>
              id === null ? (
                recipient
              ) : (
                <Link to="/emails/$id" params={{ id }} className="underline">
                  {recipient}
                </Link>
              ),
          },
          { head: 'Category', cell: ({ category }) => category.replaceAll('_', ' ') },
          {
            head: 'Answer',
            wide: true,
            cell: ({ diagnostic_code: said, error_message: text }) => (
              <span className="text-quiet">{said ?? text ?? ''}</span>
            ),
          },
          { head: 'When', wide: true, cell: ({ bounced_at: at }) => <Time at={at} /> },
        ]}
        empty="Nothing bounced."
      />
    </Page>
  )
}

export function Contacts() {
  return (
    <Page title="Contacts" sentence="People who gave their address, and what proves it.">
      <Listing
        path="/customer/contacts"
        pages="page"
        caption="Contacts"
        filters={[{ name: 'search', label: 'Address' }]}
        columns={[
          { head: 'Address', cell: ({ email }) => email },
          { head: 'Name', wide: true, cell: ({ name }) => name ?? '' },
          { head: 'State', cell: ({ status }) => <State name={status === 'subscribed' ? 'active' : status} /> },
          { head: 'Source', wide: true, cell: ({ source }) => source },
          { head: 'Confirmed', wide: true, cell: ({ confirmed_at: at }) => <Time at={at} /> },
        ]}
        empty="No contact yet: POST /api/v1/customer/contacts adds one and can ask them to confirm."
      />
    </Page>
  )
}
