// Contacts: ask for confirmation, change, unsubscribe, remove, erase, and show the proof of consent.

import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { CONTACT_COLUMNS, contactOf, contactRefusal } from '../../../src/modules/contacts/contact-list.ts'
import { cellOfTexts, textsOfCell } from '../../../src/platform/csv.ts'
import { besides, call, faultOf, type Json, refresh, useApi, withQuery } from '../api/api.ts'
import type { Outcome } from '../api/bulk-calls.ts'
import { inWords, saidOfIt } from '../api/faults.ts'
import { EditableIfPermitted, IfPermitted } from '../api/permissions.tsx'
import type { Entry } from '../files/csv.ts'
import { Import, useImport } from '../files/import.tsx'
import { AddForm } from '../ui/add-form.tsx'
import { announce } from '../ui/announcements.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { useEdited } from '../ui/edited-form.ts'
import { AsCall } from '../ui/example-call.tsx'
import { chosenOf, type Filter, Listing, useFirstPage, useTotal, words } from '../ui/listing.tsx'
import type { Search } from '../ui/search.ts'
import {
  Button,
  Facts,
  Field,
  LIKE_A_BUTTON,
  NOT_YET,
  Page,
  Pending,
  Problem,
  Section,
  State,
  Time,
} from '../ui/ui.tsx'
import { Unsaved } from '../ui/unsaved.tsx'
import { subscribedOf } from '../words/answers.ts'

const PATH = '/customer/contacts'

const ASKED_AT_ONCE = 50

/** @param asks whether each contact gets a confirmation email */
async function importContacts(part: readonly Entry[], asks: boolean): Promise<Outcome> {
  const { data } = await call('POST', `${PATH}/import?double_opt_in=${asks}`, { entries: part.map(contactOf) })
  return {
    done: data.imported + data.known,
    faults: data.errors.map(({ line, email, message }: Json) => ({
      line: part[line - 1]?.line ?? line,
      text: email ?? '',
      message: saidOfIt(inWords(message)),
    })),
  }
}

const FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Address' },
  {
    name: 'status',
    label: 'Status',
    options: words('pending_confirmation', 'subscribed', 'unsubscribed', 'bounced', 'complained'),
  },
  { name: 'tag', label: 'Tag' },
]

const LIST_EVERY_MS = 15_000
const COUNT_EVERY_MS = 60_000
/** Of more contacts the statuses are not counted: each count compares all of them with the lists that suppress. */
const COUNTED_BY_STATUS = 20_000

function useSentence(): string {
  const first = useFirstPage(PATH, 'page', { always: LIST_EVERY_MS })
  const options = {
    always: COUNT_EVERY_MS,
    enabled: first !== undefined && first.total > 0 && first.total <= COUNTED_BY_STATUS,
  }
  const subscribed = useTotal(PATH, { status: 'subscribed' }, options)
  const pending = useTotal(PATH, { status: 'pending_confirmation' }, options)
  if (first === undefined) return NOT_YET
  if (!options.enabled) return subscribedOf(first.total, null)
  if (subscribed === undefined || pending === undefined) return NOT_YET
  return subscribedOf(first.total, { subscribed: subscribed.count, pending: pending.count })
}

export function Contacts() {
  const chosen = chosenOf(FILTERS, useSearch({ strict: false }) as Search)
  const [importing, button] = useImport('contacts:write')
  const [asks, setAsks] = useState(true)
  const [error, setError] = useState<unknown>(null)
  const ask = (text: string) => (
    <Checkbox checked={asks} onChange={setAsks}>
      {text}
    </Checkbox>
  )
  return (
    <Page
      title="Contacts"
      sentence={useSentence()}
      actions={
        <div className="flex gap-2">
          {button}
          <Link to="/contacts/erasures" className={LIKE_A_BUTTON}>
            Erasures
          </Link>
          <a href={withQuery(`/api/v1${PATH}/export`, chosen)} download className={LIKE_A_BUTTON}>
            {Object.keys(chosen).length === 0 ? 'Export' : 'Export filtered'}
          </a>
        </div>
      }
    >
      {importing ? (
        <Import
          verb="Import"
          size={ASKED_AT_ONCE}
          hint="With a header row, these columns are read: email, name (or first name and last name; also in German, French, Spanish, Italian and Dutch), source, tags (separated by commas), status, source_url, consent_text and consent_at. Existing contacts stay as they are."
          reads={CONTACT_COLUMNS}
          refusal={contactRefusal}
          call={(part) => importContacts(part, asks)}
          before={() =>
            ask(
              'Email each one to ask for confirmation. Turn this off only for people who have already confirmed, if you can prove it.',
            )
          }
          finished={() => void refresh(PATH)}
        />
      ) : (
        <AddForm
          path={PATH}
          scope="contacts:write"
          fields={[
            { name: 'email', label: 'Email address', type: 'email' },
            { name: 'name', label: 'Name, if known', optional: true },
          ]}
          button="Add"
          also={{ source: 'dashboard', double_opt_in: asks }}
          added={({ email }) => announce(asks ? `${email} was asked to confirm.` : `${email} subscribed.`)}
        >
          <div className="flex h-[34px] items-center">{ask('Ask for confirmation by email')}</div>
        </AddForm>
      )}
      <Section title="All contacts">
        <Problem error={error} />
        <Listing
          path={PATH}
          pages="page"
          caption="Contacts"
          always={LIST_EVERY_MS}
          filters={FILTERS}
          columns={[
            {
              head: 'Address',
              main: true,
              cell: ({ id, email }) => (
                <Link to="/contacts/$id" params={{ id }} className="underline">
                  {email}
                </Link>
              ),
            },
            { head: 'Name', wide: true, fill: true, cell: ({ name }) => name ?? '' },
            { head: 'Status', cell: ({ status }) => <State name={status} /> },
            { head: 'Source', roomy: true, fill: true, cell: ({ source }) => source },
            { head: 'Confirmed', roomy: true, right: true, cell: ({ confirmed_at: at }) => <Time at={at} /> },
            {
              head: 'Actions',
              acts: true,
              scope: 'contacts:write',
              right: true,
              cell: (contact) => (
                <span className="inline-flex gap-1">
                  <AskAgain small contact={contact} setError={setError} />
                  <Remove small contact={contact} setError={setError} />
                </span>
              ),
            },
          ]}
          empty={
            <>
              No contacts yet.{' '}
              <IfPermitted scope="contacts:write">
                Add one, import a list, or have your sign-up form make this call, which asks each person to confirm.
                <AsCall path={PATH} body={{ email: 'someone@example.net', source: 'sign-up form' }} />
              </IfPermitted>
            </>
          }
        />
      </Section>
    </Page>
  )
}

interface Doing {
  readonly contact: Json
  readonly setError: (error: unknown) => void
  readonly small?: boolean
}

/** @returns whether it succeeded */
async function act({ setError }: Doing, method: string, where: string, done: string, body?: object): Promise<boolean> {
  setError(null)
  const isDone = await call(method, `${PATH}/${where}`, body).then(
    () => true,
    (problem: unknown) => {
      setError(problem)
      return false
    },
  )
  if (isDone) announce(done)
  await refresh(PATH)
  return isDone
}

function AskAgain(doing: Doing) {
  const { id, email, status } = doing.contact
  if (status !== 'pending_confirmation') return null
  return (
    <Button
      scope="contacts:write"
      small={doing.small === true}
      onClick={() => void act(doing, 'POST', `${id}/resend-confirmation`, `${email} was asked again.`)}
    >
      Resend<span className={doing.small === true ? 'sr-only' : ''}> confirmation</span>
    </Button>
  )
}

function Remove({ then, ...doing }: Doing & { readonly then?: () => void }) {
  const { id, email } = doing.contact
  return (
    <Confirm
      scope="contacts:write"
      small={doing.small === true}
      label="Remove"
      question={`Remove ${email} and the consent record? Anyone who unsubscribed stays unsubscribed.`}
      onYes={() => void act(doing, 'DELETE', id, `${email} removed.`).then((done) => done && then?.())}
    />
  )
}

export function Contact() {
  const { id } = useParams({ strict: false }) as { id: string }
  const navigate = useNavigate()
  const found = useApi(`${PATH}/${id}`)
  const [error, setError] = useState<unknown>(null)
  if (found.data === undefined)
    return (
      <Page title="Contact">
        <Pending error={found.error} lines={8} />
      </Page>
    )
  const contact: Json = found.data.data
  const { email, status, consent } = contact
  const doing = { contact, setError }
  const leave = (): void => void navigate({ to: '/contacts' })
  const mayLeave = status === 'pending_confirmation' || status === 'subscribed'
  return (
    <Page
      title={email}
      sentence={
        <>
          <State name={status} /> {WHAT_IT_MEANS[status] ?? ''}
        </>
      }
      actions={
        <div className="flex flex-wrap gap-2">
          <Link to="/emails" search={{ recipient: email } as never} className={LIKE_A_BUTTON}>
            All emails to this address
          </Link>
          <AskAgain {...doing} />
          {mayLeave && (
            <Confirm
              kind="plain"
              scope="contacts:write"
              label="Unsubscribe"
              question={`Unsubscribe ${email}? Do this only if they asked for it.`}
              onYes={() => void act(doing, 'PATCH', id, `${email} unsubscribed.`, { status: 'unsubscribed' })}
            />
          )}
          <Remove {...doing} then={leave} />
          <Confirm
            scope="contacts:write"
            label="Erase"
            yes="Erase address"
            question={`Erase ${email}? The contact, its list entries and the emails sent to it are deleted. A salted hash stays, so that no more email is sent to the address. This cannot be undone.`}
            onYes={() =>
              void act(doing, 'DELETE', `${id}?erase=true`, `${email} is being erased.`).then((done) => done && leave())
            }
          />
        </div>
      }
    >
      <Problem error={error} />
      <Section title="Details">
        <Change contact={contact} />
      </Section>
      <Section title="Consent record">
        <Facts
          facts={[
            ['Source', contact.source],
            ['Source URL', consent.source_url],
            ['Consent text', consent.consent_text],
            ['Consent given', consent.timestamp === null ? null : <Time key="a" full at={consent.timestamp} />],
            ['Added', <Time key="c" full at={contact.created_at} />],
            ['Confirmation sent', askedOf(contact)],
            [
              'Confirmed',
              contact.confirmed_at === null ? (
                contact.double_opt_in ? (
                  'not yet'
                ) : (
                  'not requested: you hold the proof'
                )
              ) : (
                <span key="f">
                  <Time full at={contact.confirmed_at} />
                  {contact.confirmed_ip !== null && ` from ${contact.confirmed_ip}`}
                </span>
              ),
            ],
            ['Browser', contact.confirmed_user_agent],
          ]}
        />
      </Section>
    </Page>
  )
}

const WHAT_IT_MEANS: Readonly<Record<string, string>> = {
  pending_confirmation: 'Asked to confirm by email, but not confirmed yet.',
  subscribed: 'Email can be sent to this address.',
  unsubscribed: 'Asked for no more email. None is sent.',
  bounced: 'Email to this address bounced permanently. None is sent.',
  complained: 'Marked an email as spam. None is sent.',
}

function askedOf({ confirmation_sent_at: at, resend_count: again, double_opt_in: asks }: Json) {
  if (!asks) return null
  if (at === null) return 'not yet: the address was asked too often this week'
  return (
    <>
      <Time full at={at} />
      {again > 0 && `, ${again + 1} times in all`}
    </>
  )
}

interface Typed {
  readonly name: string
  /** Separated by commas; a tag that contains a comma is in quotes. */
  readonly tags: string
}

function fieldsOf({ name, tags }: Typed) {
  return {
    name: name.trim() === '' ? null : name.trim(),
    tags: textsOfCell(tags),
  }
}

function Change({ contact }: { readonly contact: Json }) {
  const { typed, setTyped, error, save, waits } = useEdited(contact, {
    path: PATH,
    method: 'PATCH',
    typedOf: (of): Typed => ({ name: of.name ?? '', tags: cellOfTexts(of.tags) }),
    fieldsOf,
    told: 'Saved.',
  })
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-wrap items-start gap-3">
      <EditableIfPermitted scope="contacts:write">
        <Unsaved waits={() => waits} />
        <div className="min-w-48 flex-1">
          <Field
            label="Name"
            value={typed.name}
            onChange={(name) => setTyped({ ...typed, name })}
            fault={faultOf(error, 'name')}
          />
        </div>
        <div className="min-w-48 flex-1">
          <Field
            label="Tags"
            value={typed.tags}
            onChange={(tags) => setTyped({ ...typed, tags })}
            hint="Separated by commas."
            fault={faultOf(error, 'tags')}
          />
        </div>
        <div className="pt-[25px]">
          <Button type="submit" disabled={!waits}>
            Save
          </Button>
        </div>
        <div className="basis-full">
          <Problem error={besides(error, ['name', 'tags'])} />
        </div>
      </EditableIfPermitted>
    </form>
  )
}
