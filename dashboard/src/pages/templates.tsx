// Templates: edit, preview with variables, restore an earlier version.

import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { besides, call, faultOf, type Json, queries, refresh, useApi } from '../api/api.ts'
import { EditableIfPermitted, IfPermitted } from '../api/permissions.tsx'
import { DraftPreview } from '../emails/draft-preview.tsx'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { AsCall } from '../ui/example-call.tsx'
import { Listing, useFirstPage } from '../ui/listing.tsx'
import { Table } from '../ui/table.tsx'
import { Button, Field, LIKE_A_BUTTON, NOT_YET, Page, Pending, Problem, Section, Time } from '../ui/ui.tsx'
import { Unsaved } from '../ui/unsaved.tsx'
import { counted } from '../words/number-format.ts'

const PATH = '/templates'

function Sentence() {
  const first = useFirstPage(PATH, 'page')
  if (first === undefined) return NOT_YET
  const [last] = first.rows.toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at))
  if (last === undefined) return 'Reusable emails with variables such as {{name}}, filled in on each send.'
  if (first.total > first.rows.length) return `${counted(first.total, 'template')}.`
  return (
    <>
      {counted(first.total, 'template')}; the last change was to “{last.name}”, <Time at={last.updated_at} />.
    </>
  )
}

export function Templates() {
  return (
    <Page
      title="Templates"
      sentence={<Sentence />}
      actions={
        <IfPermitted scope="templates:write">
          <Link to="/templates/$id" params={{ id: 'new' }} className={LIKE_A_BUTTON}>
            Create template
          </Link>
        </IfPermitted>
      }
    >
      <Listing
        path={PATH}
        pages="page"
        caption="Templates"
        columns={[
          {
            head: 'Name',
            main: true,
            cell: ({ id, name }) => (
              <Link to="/templates/$id" params={{ id }} className="underline">
                {name}
              </Link>
            ),
          },
          { head: 'Subject', fill: true, cell: ({ subject }) => subject },
          { head: 'Version', right: true, wide: true, cell: ({ version }) => version },
          { head: 'Updated', right: true, cell: ({ updated_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <>
            No templates yet.{' '}
            <IfPermitted scope="templates:write">
              <Link to="/templates/$id" params={{ id: 'new' }} className="underline">
                Create one
              </Link>
              , then send with its ID and the variables: {'{ "template_id": "…", "variables": { "name": "Jo" } }'}
              <AsCall path={PATH} body={{ name: 'Welcome', subject: 'Hello {{name}}', text: 'Welcome, {{name}}.' }} />
            </IfPermitted>
          </>
        }
      />
    </Page>
  )
}

export function Template() {
  const { id } = useParams({ strict: false }) as { id: string }
  const isNew = id === 'new'
  const found = useApi(`${PATH}/${id}`, { enabled: !isNew })
  if (isNew)
    return <Editor key="new" template={{ id: null, name: '', subject: '', html: null, text: null, version: 0 }} />
  if (found.data === undefined)
    return (
      <Page title="Template">
        <Pending error={found.error} lines={10} />
      </Page>
    )
  const template: Json = found.data.data
  return <Editor key={id} template={template} />
}

interface Draft {
  readonly name: string
  readonly subject: string
  readonly html: string
  readonly text: string
}
const FIELDS = ['name', 'subject', 'html', 'text'] as const

function draftOf({ name, subject, html, text }: Json): Draft {
  return { name, subject, html: html ?? '', text: text ?? '' }
}

/** A version that somebody else saved while this one was being edited. */
interface Met {
  readonly version: number
  /** Fields changed in both; the draft keeps its own text. */
  readonly both: readonly string[]
}

/** Where what was typed while a new template was being saved waits for its page. */
const typedKey = (id: string | null): readonly [string] => [`typed into ${id}`]

function Editor({ template }: { readonly template: Json }) {
  // The version that the draft is based on. When a newer one appears, fields that were not edited here take its text: the API
  // replaces the whole template, so saving the old text would undo somebody else's change.
  const [base, setBase] = useState<Json>(template)
  const [draft, setDraft] = useState(() => queries.getQueryData<Draft>(typedKey(template.id)) ?? draftOf(template))
  useEffect(() => queries.removeQueries({ queryKey: typedKey(template.id), exact: true }), [template.id])
  const latest = useRef(draft)
  latest.current = draft
  const [met, setMet] = useState<Met | null>(null)
  const mine = FIELDS.filter((field) => draft[field] !== draftOf(base)[field])
  const changed = mine.length > 0
  const meet = (now: Json): void => {
    const [before, theirs] = [draftOf(base), draftOf(now)]
    const both = mine.filter((field) => theirs[field] !== before[field] && theirs[field] !== draft[field])
    setBase(now)
    setDraft((so) => {
      const kept = FIELDS.filter((field) => so[field] !== before[field]).map((field) => [field, so[field]])
      return { ...theirs, ...Object.fromEntries(kept) }
    })
    setMet(changed ? { version: now.version, both } : null)
  }
  if (template.version > base.version) meet(template)
  const leaves = useRef(false)
  const [error, setError] = useState<unknown>(null)
  const navigate = useNavigate()
  const isNew = template.id === null
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    const { name, subject, html, text } = draft
    const body = { name, subject, ...(html !== '' && { html }), ...(text !== '' && { text }) }
    try {
      const now: Json = isNew ? base : (await call('GET', `${PATH}/${template.id}`)).data
      if (now.version > base.version) {
        meet(now)
        await refresh(PATH)
        return
      }
      const { data } = await call(isNew ? 'POST' : 'PUT', isNew ? PATH : `${PATH}/${template.id}`, body)
      announce(`Saved “${name}” as version ${data.version}.`)
      leaves.current = isNew
      setMet(null)
      if (!isNew) setBase(data)
      else if (latest.current !== draft) queries.setQueryData(typedKey(data.id), latest.current)
      await refresh(PATH)
      if (isNew) await navigate({ to: '/templates/$id', params: { id: data.id } })
    } catch (problem) {
      setError(problem)
    }
  }
  const remove = async (): Promise<void> => {
    setError(null)
    const gone = (): Promise<void> => {
      leaves.current = true
      return navigate({ to: '/templates' })
    }
    await call('DELETE', `${PATH}/${template.id}`).then(gone, setError)
    await refresh(PATH)
  }
  const set = (field: keyof typeof draft) => (value: string) => setDraft({ ...draft, [field]: value })
  return (
    <Page
      needs={isNew ? 'templates:write' : undefined}
      title={isNew ? 'New template' : template.name}
      sentence={isNew ? 'Write variables as {{name}}.' : `Version ${template.version}. Earlier versions are kept.`}
      actions={
        isNew ? undefined : (
          <Confirm
            scope="templates:write"
            label="Remove"
            question="Remove this template? Sends that use it will be refused."
            onYes={() => void remove()}
          />
        )
      }
    >
      <form onSubmit={(event) => void save(event)} className="grid gap-3">
        <EditableIfPermitted scope="templates:write">
          <Field label="Name" required value={draft.name} onChange={set('name')} fault={faultOf(error, 'name')} />
          <Field
            label="Subject"
            required
            value={draft.subject}
            onChange={set('subject')}
            fault={faultOf(error, 'subject')}
          />
          <div className="grid gap-3 lg:grid-cols-2">
            <Field
              label="HTML"
              rows={14}
              mono
              value={draft.html}
              onChange={set('html')}
              fault={faultOf(error, 'html')}
            />
            <Field
              label="Text"
              rows={14}
              mono
              value={draft.text}
              onChange={set('text')}
              fault={faultOf(error, 'text')}
            />
          </div>
          <Problem error={besides(error, FIELDS)} />
          {met !== null && (
            <p role="status" className="text-wait">
              Version {met.version} was saved in the meantime. Fields you did not change now match it
              {met.both.length > 0 && `; ${met.both.join(' and ')} changed in both, and your text is kept`}. Review,
              then save.
            </p>
          )}
          <Unsaved waits={() => changed && !leaves.current} />
          <div>
            <Button type="submit" kind="main">
              {isNew ? 'Save' : 'Save as new version'}
            </Button>
          </div>
        </EditableIfPermitted>
      </form>
      <Section title="Preview">
        <DraftPreview parts={draft} />
      </Section>
      {!isNew && (
        <Section title="Versions">
          <Versions
            id={template.id}
            present={template.version}
            waits={changed}
            restored={() => setDraft(draftOf(base))}
          />
        </Section>
      )}
    </Page>
  )
}

function Versions({
  id,
  present,
  waits,
  restored,
}: {
  readonly id: string
  readonly present: number
  /** Whether the form has unsaved changes. */
  readonly waits: boolean
  readonly restored: () => void
}) {
  const found = useApi(`${PATH}/${id}/versions`)
  const [error, setError] = useState<unknown>(null)
  const restore = async (version: number): Promise<void> => {
    setError(null)
    await call('POST', `${PATH}/${id}/versions/${version}/restore`).then(() => {
      restored()
      announce(`Restored version ${version}.`)
    }, setError)
    await refresh(PATH)
  }
  return (
    <>
      <Problem error={error} />
      <Table
        caption="Versions"
        rows={found.data?.data as readonly Json[] | undefined}
        error={found.error}
        keyOf={({ version }) => String(version)}
        columns={[
          { head: 'Version', main: true, cell: ({ version }) => version },
          { head: 'Subject', fill: true, cell: ({ subject }) => subject },
          { head: 'Saved', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
          {
            head: 'Actions',
            acts: true,
            scope: 'templates:write',
            right: true,
            cell: ({ version }) =>
              version === present ? (
                'current'
              ) : (
                <Restore version={version} waits={waits} restore={() => void restore(version)} />
              ),
          },
        ]}
        empty="No earlier versions."
      />
    </>
  )
}

function Restore({
  version,
  waits,
  restore,
}: {
  readonly version: number
  readonly waits: boolean
  readonly restore: () => void
}) {
  if (!waits)
    return (
      <Button small onClick={restore}>
        Restore
      </Button>
    )
  return (
    <Confirm
      small
      kind="plain"
      label="Restore"
      question={`Restore version ${version}? Your unsaved changes above will be lost.`}
      onYes={restore}
    />
  )
}
