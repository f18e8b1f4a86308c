// Suppressions, unsubscribes and bounces, with import and export.

import { Link, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { BOUNCE_CATEGORIES } from '../../../src/mail/smtp/bounce.ts'
import { call, faultOf, type Json, refresh, withQuery } from '../api/api.ts'
import type { Outcome } from '../api/bulk-calls.ts'
import { inWords, saidOfIt } from '../api/faults.ts'
import { IfPermitted } from '../api/permissions.tsx'
import { answerIn } from '../emails/timeline.ts'
import { useDomainFilter } from '../figures/by-domain.tsx'
import { useRecentFigures } from '../figures/recent-figures.ts'
import type { Entry } from '../files/csv.ts'
import { Import, useImport } from '../files/import.tsx'
import { saveList } from '../files/save.ts'
import {
  type Reason,
  SUPPRESSION_REASONS,
  suppressionOf,
  suppressionRefusal,
  unknownReasons,
} from '../files/suppression-list.ts'
import { AddForm } from '../ui/add-form.tsx'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { DateTimeInput, momentOf } from '../ui/date-time-input.tsx'
import { AsCall, ExampleCall, FIRST_EMAIL } from '../ui/example-call.tsx'
import { chosenOf, type Filter, Listing, useFirstPage, WHOLE_ADDRESS, words } from '../ui/listing.tsx'
import type { Search } from '../ui/search.ts'
import { Button, Choice, LIKE_A_BUTTON, NOT_YET, Page, Problem, SandboxMark, Section, State, Time } from '../ui/ui.tsx'
import { bouncesIn, suppressedFor } from '../words/answers.ts'
import { counted, figure } from '../words/number-format.ts'

function Removal({
  path,
  address,
  setError,
}: {
  readonly path: string
  readonly address: string
  readonly setError: (error: unknown) => void
}) {
  const remove = async (): Promise<void> => {
    setError(null)
    await call('DELETE', `${path}/${encodeURIComponent(address)}`).then(
      ({ message }) => announce(`${address}: ${message}.`),
      setError,
    )
    await refresh(path)
  }
  return (
    <Confirm
      small
      kind="plain"
      label="Remove"
      yes="Allow email"
      question={`Allow email to ${address} again? Do this only if you know that they want it.`}
      onYes={() => void remove()}
    />
  )
}

/** While no events announce changes. */
const LIST_EVERY = { every: 15_000 }

const SUPPRESSIONS = '/customer/suppressions'
const IMPORTED_AT_ONCE = 500

/** @param entryOf makes the API's fields from one entry */
async function importInto(path: string, part: readonly Entry[], entryOf: (entry: Entry) => object): Promise<Outcome> {
  const { data } = await call('POST', `${path}/import`, { entries: part.map(entryOf) })
  return {
    done: data.imported + data.updated,
    faults: data.errors.map(({ line, email, message }: Json) => ({
      line: part[line - 1]?.line ?? line,
      text: email ?? '',
      message: saidOfIt(inWords(message)),
    })),
  }
}

/** Entries that sandbox emails made, which stop sandbox emails alone. */
const SANDBOX: Filter = {
  name: 'include_sandbox',
  label: 'Sandbox',
  unset: 'excluded',
  options: [['true', 'included']],
}
const SUPPRESSION_FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Address' },
  { name: 'reason', label: 'Reason', options: words(...SUPPRESSION_REASONS) },
  SANDBOX,
]

function Address({ row }: { readonly row: Json }) {
  return (
    <>
      {row.email}
      <SandboxMark of={row} />
    </>
  )
}

export function Suppressions() {
  const chosen = chosenOf(SUPPRESSION_FILTERS, useSearch({ strict: false }) as Search)
  const [error, setError] = useState<unknown>(null)
  const [importing, button] = useImport('suppressions:write')
  const first = useFirstPage(SUPPRESSIONS, 'page', LIST_EVERY)
  const reasons = first?.total === first?.rows.length ? (first?.rows.map(({ reason }) => reason) ?? []) : null
  return (
    <Page
      title="Suppressions"
      sentence={first === undefined ? NOT_YET : suppressedFor(first.total, reasons)}
      actions={
        <div className="flex gap-2">
          {button}
          <ExportLink path={SUPPRESSIONS} chosen={chosen} />
        </div>
      }
    >
      {importing ? <ImportSuppressions /> : <Suppress />}
      <Section title="Suppressed addresses">
        <Problem error={error} />
        <Listing
          path={SUPPRESSIONS}
          pages="page"
          caption="Suppressed addresses"
          {...LIST_EVERY}
          filters={SUPPRESSION_FILTERS}
          columns={[
            { head: 'Address', main: true, cell: (row: Json) => <Address row={row} /> },
            {
              head: 'Reason',
              cell: ({ reason }) => <span className="whitespace-nowrap">{reason.replaceAll('_', ' ')}</span>,
            },
            { head: 'Evidence', wide: true, fill: true, cell: (row: Json) => <Evidence row={row} /> },
            { head: 'Since', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
            {
              head: 'Expires',
              wide: true,
              right: true,
              cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />),
            },
            {
              head: 'Actions',
              acts: true,
              scope: 'suppressions:write',
              right: true,
              cell: ({ email }) => <Removal path={SUPPRESSIONS} address={email} setError={setError} />,
            },
          ]}
          empty={
            <>
              No suppressed addresses. Hard bounces and complaints are listed here automatically, those of sandbox
              emails with Sandbox included.{' '}
              <IfPermitted scope="suppressions:write">
                Use Import to bring the list from your previous provider.
                <AsCall path={SUPPRESSIONS} body={{ email: 'someone@example.net', details: 'asked by phone' }} />
              </IfPermitted>
            </>
          }
        />
      </Section>
    </Page>
  )
}

/** A download from the API: the whole list, or what matches the filters. */
function ExportLink({ path, chosen }: { readonly path: string; readonly chosen: ReturnType<typeof chosenOf> }) {
  return (
    <a href={withQuery(`/api/v1${path}/export`, chosen)} download className={LIKE_A_BUTTON}>
      {Object.keys(chosen).length === 0 ? 'Export' : 'Export filtered'}
    </a>
  )
}

const SHOWN_REASONS = 5

function ImportSuppressions() {
  const [instead, setInstead] = useState<Reason | null>(null)
  const refusal = useCallback((entry: Entry) => suppressionRefusal(entry, instead), [instead])
  return (
    <Import
      verb="Import"
      size={IMPORTED_AT_ONCE}
      hint={`With a header row, the columns email, reason, details and expires_at are read. A reason is ${SUPPRESSION_REASONS.join(', ')}, or a common word for one of these; without a reason it is manual. Addresses already listed stay listed.`}
      reads={['reason', 'details', 'expires_at']}
      refusal={refusal}
      call={(part) => importInto(SUPPRESSIONS, part, (entry) => suppressionOf(entry, instead))}
      finished={() => void refresh(SUPPRESSIONS)}
      before={({ entries }) => <Unknown reasons={unknownReasons(entries)} instead={instead} choose={setInstead} />}
    />
  )
}

/** Lists the unknown reasons of a file and asks for a replacement. */
function Unknown({
  reasons,
  instead,
  choose,
}: {
  readonly reasons: ReturnType<typeof unknownReasons>
  readonly instead: Reason | null
  readonly choose: (reason: Reason | null) => void
}) {
  if (reasons.length === 0) return null
  const shown = reasons.slice(0, SHOWN_REASONS).map(([text, count]) => `“${text}” (${figure(count)})`)
  const more = reasons.length - SHOWN_REASONS
  return (
    <div className="grid gap-2">
      <p className="break-words text-wait">
        Unrecognized reasons: {shown.join(', ')}
        {more > 0 && ` and ${figure(more)} more`}.
      </p>
      <Choice
        label="Import them all as"
        value={instead ?? ''}
        onChange={(value) => choose(SUPPRESSION_REASONS.find((one) => one === value) ?? null)}
        options={[['', 'none: skip these rows'], ...words(...SUPPRESSION_REASONS)]}
      />
    </div>
  )
}

function Suppress() {
  const [until, setUntil] = useState('')
  return (
    <AddForm
      path={SUPPRESSIONS}
      scope="suppressions:write"
      fields={[
        { name: 'email', label: 'Email address', type: 'email' },
        { name: 'details', label: 'Note, such as who requested it', optional: true },
      ]}
      button="Suppress"
      also={{ expires_at: momentOf(until) }}
      told={['expires_at']}
      hinted
      added={(_, { email }) => {
        setUntil((now) => (now === until ? '' : now))
        announce(`${email} suppressed.`)
      }}
    >
      {(fault: unknown) => (
        <DateTimeInput
          label="Expires"
          value={until}
          onChange={setUntil}
          hint="Leave empty to suppress it permanently."
          fault={faultOf(fault, 'expires_at')}
        />
      )}
    </AddForm>
  )
}

function Evidence({ row }: { readonly row: Json }) {
  const said = answerIn(row.details)
  const text: string = said ?? row.source
  if (row.email_id === null) return <span className="text-quiet">{text}</span>
  return (
    <Link to="/emails/$id" params={{ id: row.email_id }} className="underline" title={text}>
      {said ?? 'View email'}
    </Link>
  )
}

const UNSUBSCRIBES = '/customer/unsubscribes'

function unsubscribeOf({ email, fields }: Entry): object {
  return { email, reason: fields['reason'] ?? '' }
}

const UNSUBSCRIBE_FILTERS: readonly Filter[] = [{ name: 'search', label: 'Address' }, SANDBOX]

function askedOut(total: number): string {
  if (total === 0) return 'Nobody has asked for no more email.'
  return `${counted(total, 'person', 'people')} asked for no more email; nothing is sent to them.`
}

export function Unsubscribes() {
  const chosen = chosenOf(UNSUBSCRIBE_FILTERS, useSearch({ strict: false }) as Search)
  const [error, setError] = useState<unknown>(null)
  const [importing, button] = useImport('unsubscribes:write')
  const total = useFirstPage(UNSUBSCRIBES, 'page', LIST_EVERY)?.total
  return (
    <Page
      title="Unsubscribes"
      sentence={total === undefined ? NOT_YET : askedOut(total)}
      actions={
        <div className="flex gap-2">
          {button}
          <ExportLink path={UNSUBSCRIBES} chosen={chosen} />
        </div>
      }
    >
      {importing ? (
        <Import
          verb="Import"
          size={IMPORTED_AT_ONCE}
          hint="With a header row, the columns email and reason are read. Anyone already unsubscribed stays unsubscribed."
          reads={['reason']}
          call={(part) => importInto(UNSUBSCRIBES, part, unsubscribeOf)}
          finished={() => void refresh(UNSUBSCRIBES)}
        />
      ) : (
        <AddForm
          path={UNSUBSCRIBES}
          scope="unsubscribes:write"
          fields={[
            { name: 'email', label: 'Email address', type: 'email' },
            { name: 'reason', label: 'Reason, if known', optional: true },
          ]}
          button="Add"
          added={(_, { email }) => announce(`${email} unsubscribed.`)}
        />
      )}
      <Section title="Unsubscribed addresses">
        <Problem error={error} />
        <Listing
          path={UNSUBSCRIBES}
          pages="page"
          caption="Unsubscribed addresses"
          {...LIST_EVERY}
          filters={UNSUBSCRIBE_FILTERS}
          columns={[
            { head: 'Address', main: true, cell: (row: Json) => <Address row={row} /> },
            {
              head: 'Source',
              cell: ({ source }) => <span className="whitespace-nowrap">{source.replaceAll('_', ' ')}</span>,
            },
            { head: 'Reason', wide: true, fill: true, cell: ({ reason }) => reason ?? '' },
            { head: 'Since', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
            {
              head: 'Actions',
              acts: true,
              scope: 'unsubscribes:write',
              right: true,
              cell: ({ email }) => <Removal path={UNSUBSCRIBES} address={email} setError={setError} />,
            },
          ]}
          empty={
            <>
              No unsubscribes yet. Anyone who uses the link in an email, or the unsubscribe button of their email app,
              appears here.
              <IfPermitted scope="unsubscribes:write">
                <AsCall path={UNSUBSCRIBES} body={{ email: 'someone@example.net', reason: 'too many' }} />
              </IfPermitted>
            </>
          }
        />
      </Section>
    </Page>
  )
}

function ExportList({
  name,
  path,
  columns,
  query = {},
  setError,
}: {
  readonly name: string
  readonly path: string
  readonly columns: readonly string[]
  /** The filters: export contains what the page shows. */
  readonly query?: Readonly<Record<string, string | boolean>>
  readonly setError: (error: unknown) => void
}) {
  const [busy, setBusy] = useState(false)
  const write = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    const done = (rows: number): void => announce(`Exported ${figure(rows)} ${rows === 1 ? 'row' : 'rows'} to ${name}.`)
    await saveList(name, path, columns, query).then(done, setError)
    setBusy(false)
  }
  return (
    <Button disabled={busy} onClick={() => void write()}>
      {busy ? 'Exporting…' : 'Export'}
    </Button>
  )
}

const BOUNCE_FILTERS: readonly Filter[] = [
  { name: 'recipient', label: 'Recipient', form: WHOLE_ADDRESS },
  { name: 'type', label: 'Type', options: words('hard', 'soft', 'block', 'complaint', 'unknown') },
  { name: 'category', label: 'Category', options: words(...BOUNCE_CATEGORIES, 'spam_complaint') },
  { name: 'from', label: 'From date', day: 'start' },
  { name: 'to', label: 'To date', day: 'end' },
  { name: 'include_sandbox', label: 'Sandbox', options: [['false', 'excluded']] },
  { name: 'include_complaints', label: 'Complaints', options: [['false', 'excluded']] },
]
const WITH_SANDBOX = { include_sandbox: true }
const DAYS = 30

export function Bounces() {
  const recent = useRecentFigures(DAYS)
  const [error, setError] = useState<unknown>(null)
  const filters = [...BOUNCE_FILTERS, ...useDomainFilter()]
  const chosen = chosenOf(filters, useSearch({ strict: false }) as Search)
  return (
    <Page
      title="Bounces"
      sentence={recent === null ? NOT_YET : bouncesIn(recent.figures, recent.span)}
      more="Hard: the address is invalid. Soft: a temporary problem. Block: the sender or content was refused, not the address. Complaint: delivered, and marked as spam."
      actions={
        <ExportList
          name="bounces.csv"
          path="/customer/bounces"
          columns={[
            'recipient',
            'type',
            'category',
            'smtp_code',
            'diagnostic_code',
            'email_id',
            'bounced_at',
            'sandbox',
          ]}
          query={{ ...WITH_SANDBOX, ...chosen }}
          setError={setError}
        />
      }
    >
      <Problem error={error} />
      <Listing
        path="/customer/bounces"
        fixed={WITH_SANDBOX}
        caption="Bounces"
        {...LIST_EVERY}
        filters={filters}
        columns={[
          { head: 'Type', cell: ({ type }) => <State name={type} /> },
          {
            head: 'Recipient',
            main: true,
            cell: (bounce) => (
              <>
                {bounce.email_id === null ? (
                  bounce.recipient
                ) : (
                  <Link to="/emails/$id" params={{ id: bounce.email_id }} className="underline">
                    {bounce.recipient}
                  </Link>
                )}
                <SandboxMark of={bounce} />
              </>
            ),
          },
          {
            head: 'Category',
            cell: ({ category }) => <span className="whitespace-nowrap">{category.replaceAll('_', ' ')}</span>,
          },
          {
            head: 'Response',
            wide: true,
            fill: true,
            cell: (bounce) => answerIn(bounce.diagnostic_code) ?? bounce.error_message ?? reporterOf(bounce),
          },
          { head: 'When', right: true, cell: ({ bounced_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <>
            <p className="mb-3">
              No bounces yet. Each one appears here within a second, with the reason and what to do about it. With a
              test key, this one bounces:
            </p>
            <ExampleCall path="/send" body={{ ...FIRST_EMAIL, to: 'bounce@sandbox.test' }} />
          </>
        }
      />
    </Page>
  )
}

/** For complaints that arrived by email: the reporter, and whether a signature proves it. */
function reporterOf({ remote_mta: said, report_dkim: dkim }: Json): string {
  if (dkim === null) return ''
  if (dkim.domain !== null) return `Reported by ${dkim.domain}, verified by its signature`
  return `Reported by ${said?.host ?? 'an unknown sender'}, not verified by a signature`
}
