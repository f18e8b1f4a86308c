// API keys: create, restrict, rotate, revoke. A key is shown once, where it was created.

import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { BOUND_FIELDS, boundsOf, fieldsOf, KeyBounds, lacksChoice, UNBOUND } from '../account/key-bounds.tsx'
import { besides, call, faultOf, type Json, refresh, useApi } from '../api/api.ts'
import { EditableIfPermitted, IfPermitted } from '../api/permissions.tsx'
import { AddForm } from '../ui/add-form.tsx'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { useEdited } from '../ui/edited-form.ts'
import { Listing, useFirstPage } from '../ui/listing.tsx'
import { SecretRotation } from '../ui/secret-rotation.tsx'
import { ShownOnce } from '../ui/shown-once.tsx'
import {
  Button,
  Choice,
  DATES,
  Facts,
  Field,
  NOT_YET,
  Page,
  Pending,
  Problem,
  Section,
  State,
  Time,
} from '../ui/ui.tsx'
import { Unsaved } from '../ui/unsaved.tsx'
import { workingKeys } from '../words/answers.ts'
import { counted } from '../words/number-format.ts'

const PATH = '/customer/api-keys'
const LIST_EVERY_MS = 15_000

/** A key that was just made or renewed, as the API answers. */
interface NewKey {
  readonly id: string
  readonly name: string
  readonly key: string
}

export function Keys() {
  const first = useFirstPage(PATH, 'page', { always: LIST_EVERY_MS })
  const [mode, setMode] = useState('live')
  const [bounds, setBounds] = useState(UNBOUND)
  const [made, setMade] = useState<readonly NewKey[]>([])
  const [error, setError] = useState<unknown>(null)
  return (
    <Page title="API keys" sentence={first === undefined ? NOT_YET : workingKeys(first.rows, first.total, Date.now())}>
      <AddForm
        path={PATH}
        scope="api_keys:write"
        fields={[{ name: 'name', label: 'Name, such as the app that uses it' }]}
        button="Create key"
        also={{ mode, ...fieldsOf(bounds) }}
        lacks={lacksChoice(bounds)}
        told={BOUND_FIELDS}
        added={(key) => {
          // A double click tells of one key twice.
          setMade((so) => [...so.filter(({ id }) => id !== key.id), key])
          // The next key starts without the limits of this one.
          setBounds((now) => (now === bounds ? UNBOUND : now))
        }}
      >
        {(fault: unknown) => (
          <>
            <Choice
              label="Mode"
              value={mode}
              onChange={setMode}
              options={[
                ['live', 'live: to real recipients'],
                ['sandbox', 'test: only to the inbox'],
              ]}
            />
            <KeyBounds bounds={bounds} onChange={setBounds} error={fault} />
          </>
        )}
      </AddForm>
      <Problem error={error} />
      <Made keys={made} />
      <Listing
        path={PATH}
        pages="page"
        caption="API keys"
        always={LIST_EVERY_MS}
        columns={[
          {
            head: 'Name',
            main: true,
            fill: true,
            cell: ({ id, name }) => (
              <Link to="/keys/$id" params={{ id }} className="underline">
                {name}
              </Link>
            ),
          },
          { head: 'Key', cell: ({ prefix, last4 }) => <Shortened prefix={prefix} last4={last4} /> },
          { head: 'Access', wide: true, fill: true, cell: (key) => <Reach of={key} /> },
          { head: 'Status', cell: (key) => <State name={stateOf(key)} /> },
          { head: 'Last used', right: true, named: true, cell: ({ last_used_at: at }) => <Time at={at} /> },
          {
            head: 'Actions',
            acts: true,
            scope: 'api_keys:write',
            right: true,
            cell: (key) => <Doings small of={key} made={setMade} setError={setError} />,
          },
        ]}
        empty={
          <>
            No keys yet.{' '}
            <IfPermitted scope="api_keys:write">
              Create one for each app, so that each can be revoked separately.
            </IfPermitted>
          </>
        }
      />
    </Page>
  )
}

function Shortened({ prefix, last4 }: { readonly prefix: string; readonly last4: string }) {
  return <code className="font-mono text-xs">{`${prefix}…${last4}`}</code>
}

/** One line; the key's page shows all of it. */
function Reach({ of }: { readonly of: Json }) {
  const { scopes, domain_ids: domains, allowed_ips: networks, expires_at: ends } = of
  const text = [
    scopes.includes('full') ? 'full access' : scopes.join(', '),
    domains === null ? null : counted(domains.length, 'domain'),
    networks.length === 0 ? null : counted(networks.length, 'network'),
    ends === null ? null : `until ${DATES.date(new Date(ends))}`,
  ]
    .filter((part) => part !== null)
    .join(' · ')
  return <span title={text}>{text}</span>
}

function stateOf({ revoked_at: revoked, expires_at: ends }: Json): 'revoked' | 'expired' | 'active' {
  if (revoked !== null) return 'revoked'
  return ends !== null && Date.parse(ends) <= Date.now() ? 'expired' : 'active'
}

function KeyState({ of }: { readonly of: Json }) {
  const state = stateOf(of)
  return (
    <span className="whitespace-nowrap">
      <State name={state} />
      {state === 'active' && of.expires_at !== null && (
        <>
          {' '}
          until <Time at={of.expires_at} />
        </>
      )}
    </span>
  )
}

/** The actions on a key that is not revoked. */
function Doings({
  of: { id, name, revoked_at: revoked },
  small = false,
  made,
  setError,
}: {
  readonly of: Json
  readonly small?: boolean
  /** Changes which new keys are shown. */
  readonly made: (change: (shown: readonly NewKey[]) => readonly NewKey[]) => void
  readonly setError: (error: unknown) => void
}): ReactNode {
  if (revoked !== null) return null
  const act = async (method: string, path: string, done: string, body?: object): Promise<void> => {
    setError(null)
    try {
      const answer = await call(method, `${PATH}/${path}`, body)
      const key: unknown = answer?.data?.key
      // Of this key alone: those beside it may not be stored yet.
      made((shown) => [
        ...shown.filter((one) => one.id !== id),
        ...(typeof key === 'string' ? [{ id, name: String(name), key }] : []),
      ])
      announce(done)
    } catch (problem) {
      setError(problem)
    }
    await refresh(PATH)
  }
  return (
    <span className={`inline-flex ${small ? 'gap-1' : 'gap-2'}`}>
      <SecretRotation
        small={small}
        scope="api_keys:write"
        label="Rotate"
        question={`Create a new secret for “${name}”?`}
        onYes={(hours) =>
          void act('POST', `${id}/rotate`, 'The new secret is shown above.', { grace_period_hours: hours })
        }
      />
      <Confirm
        small={small}
        scope="api_keys:write"
        label="Revoke"
        question={`Revoke “${name}”? Requests that use it are refused within seconds.`}
        onYes={() => void act('DELETE', id, `“${name}” revoked.`)}
      />
    </span>
  )
}

function Made({ keys }: { readonly keys: readonly NewKey[] }) {
  return (
    <div role="status">
      {keys.map(({ key, name }) => (
        <ShownOnce key={key} text={key} what="the key">
          {keys.length === 1 ? 'Your key' : `The key “${name}”`}, shown only once. Store it where your app keeps its
          secrets.
        </ShownOnce>
      ))}
    </div>
  )
}

export function Key() {
  const { id } = useParams({ strict: false }) as { id: string }
  const found = useApi(`${PATH}/${id}`, { always: LIST_EVERY_MS })
  const [made, setMade] = useState<readonly NewKey[]>([])
  const [error, setError] = useState<unknown>(null)
  if (found.data === undefined)
    return (
      <Page title="API key">
        <Pending error={found.error} lines={8} />
      </Page>
    )
  const key: Json = found.data.data
  const state = stateOf(key)
  return (
    <Page
      title={key.name}
      sentence={
        <>
          <KeyState of={key} />
          {state !== 'active' && (
            <>
              {' '}
              since <Time full at={key.revoked_at ?? key.expires_at} />: requests that use it are refused.
            </>
          )}
        </>
      }
      actions={<Doings of={key} made={setMade} setError={setError} />}
    >
      <Problem error={error} />
      <Made keys={made} />
      <Facts
        facts={[
          ['Key', <Shortened key="k" prefix={key.prefix} last4={key.last4} />],
          [
            'Mode',
            key.mode === 'sandbox' ? 'test: its emails only go to the inbox' : 'live: its emails go to real recipients',
          ],
          ['Created', <Time key="m" full at={key.created_at} />],
          [
            'Last used',
            key.last_used_at === null ? (
              'never'
            ) : (
              <span key="u">
                <Time full at={key.last_used_at} />
                {key.last_used_ip !== null && ` from ${key.last_used_ip}`}
              </span>
            ),
          ],
          [
            'Previous secret',
            key.previous_valid_until === null ? null : (
              <span key="p">
                works until <Time full at={key.previous_valid_until} />
              </span>
            ),
          ],
        ]}
      />
      {state !== 'revoked' && (
        <Section title="Access">
          <Change of={key} />
        </Section>
      )}
    </Page>
  )
}

function Change({ of }: { readonly of: Json }) {
  const { typed, setTyped, error, save, waits } = useEdited(of, {
    path: PATH,
    method: 'PATCH',
    typedOf: (key) => ({ name: String(key.name), bounds: boundsOf(key) }),
    fieldsOf: ({ name, bounds }) => ({ name: name.trim(), ...fieldsOf(bounds) }),
    told: 'Saved. Takes effect within seconds.',
  })
  const { name, bounds } = typed
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-wrap items-end gap-3">
      <EditableIfPermitted scope="api_keys:write">
        <Unsaved waits={() => waits} />
        <div className="min-w-48 flex-1 sm:max-w-md">
          <Field
            label="Name"
            required
            value={name}
            onChange={(written) => setTyped({ ...typed, name: written })}
            fault={faultOf(error, 'name')}
          />
        </div>
        <KeyBounds bounds={bounds} onChange={(chosen) => setTyped({ ...typed, bounds: chosen })} error={error} />
        <Button type="submit" disabled={!waits || lacksChoice(bounds)}>
          Save
        </Button>
        <div className="basis-full">
          <Problem error={besides(error, ['name', ...BOUND_FIELDS])} />
        </div>
      </EditableIfPermitted>
    </form>
  )
}
