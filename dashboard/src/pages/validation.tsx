// Validates one address, or a list whose results can be exported.

import { type FormEvent, useRef, useState } from 'react'
import { call, type Json, refresh, useApi } from '../api/api.ts'
import type { Outcome } from '../api/bulk-calls.ts'
import { csvText, type Entry } from '../files/csv.ts'
import { Import } from '../files/import.tsx'
import { save } from '../files/save.ts'
import { Button, Facts, Field, Page, Problem, Section, State, Time } from '../ui/ui.tsx'
import { counted, figure } from '../words/number-format.ts'
import { type Finding, findingsOf, notesOf } from '../words/validation-checks.ts'

const BATCH = 100
const QUOTA = '/address/validate/quota'

export function Validation() {
  const quota = useApi(QUOTA)
  const data: Json = quota.data?.data
  return (
    <Page
      needs="validation"
      title="Validation"
      sentence={
        data === undefined
          ? 'Check whether an address can receive email, by asking its domain and its mail server.'
          : data.limit === null
            ? `${counted(data.used, 'address', 'addresses')} validated this month; no limit.`
            : `${figure(data.remaining)} of ${figure(data.limit)} validations left this month.`
      }
    >
      <One />
      <Section title="Validate a list">
        <Many remaining={data?.remaining ?? null} resetAt={data?.reset_at ?? null} />
      </Section>
    </Page>
  )
}

function One() {
  const [email, setEmail] = useState('')
  const [result, setResult] = useState<Json>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const ask = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      setResult((await call('POST', '/address/validate', { email })).data)
      await refresh(QUOTA)
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <form onSubmit={(event) => void ask(event)} className="mb-4 flex flex-wrap items-end gap-3">
        <div className="min-w-64 flex-1 sm:max-w-md">
          <Field label="Address" required value={email} onChange={setEmail} />
        </div>
        <Button type="submit" kind="main" disabled={busy}>
          {busy ? 'Validating…' : 'Validate'}
        </Button>
      </form>
      <Problem error={error} />
      <div role="status">{result !== null && <Result result={result} />}</div>
    </>
  )
}

function Result({ result }: { readonly result: Json }) {
  const verdict = result.is_valid ? 'valid' : 'not valid'
  return (
    <div className="rounded border border-line bg-raised p-4">
      <p className="mb-3 text-base">
        <span className="font-semibold break-all">{result.email}</span> is {verdict},{' '}
        {result.confidence_label.replaceAll('_', ' ')} confidence.
        {result.did_you_mean !== null && (
          <>
            {' '}
            Did you mean <strong>{result.did_you_mean}</strong>?
          </>
        )}
      </p>
      <ul className="mb-3 grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {findingsOf(result).map(({ words, state }) => (
          <li key={words} className="flex gap-2">
            <Mark state={state} /> {words}
          </li>
        ))}
      </ul>
      {notesOf(result).map((note) => (
        <p key={note} className="text-quiet">
          {note}
        </p>
      ))}
      <Facts
        facts={[
          ['Deliverability', `${result.deliverability_score} of 100`],
          ['Risk', result.risk_level],
          ['Mail server response', result.smtp_result.replaceAll('_', ' ')],
          ['Provider', result.mx_provider.name],
        ]}
      />
    </div>
  )
}

function Mark({ state }: Pick<Finding, 'state'>) {
  const [mark, look] = { ok: ['●', 'text-good'], warning: ['◐', 'text-wait'], robot: ['○', 'text-robot'] }[state]
  return (
    <span aria-hidden="true" className={look}>
      {mark}
    </span>
  )
}

const COLUMNS = [
  'email',
  'is_valid',
  'risk_level',
  'deliverability_score',
  'confidence_label',
  'smtp_result',
  'did_you_mean',
]

function Many({ remaining, resetAt }: { readonly remaining: number | null; readonly resetAt: string | null }) {
  const results = useRef<Json[]>([])
  const [counts, setCounts] = useState({ valid: 0, invalid: 0, unknown: 0 })
  const ask = async (part: readonly Entry[]): Promise<Outcome> => {
    const answer = await call('POST', '/address/validate/batch', { emails: part.map(({ email }) => email) })
    results.current.push(...answer.data)
    const { valid, invalid, unknown } = answer.summary
    setCounts((so) => ({ valid: so.valid + valid, invalid: so.invalid + invalid, unknown: so.unknown + unknown }))
    return { done: part.length, faults: [] }
  }
  const saved = useRef(0)
  const download = (): void => {
    save('validated.csv', csvText([COLUMNS, ...results.current.map((one) => COLUMNS.map((column) => one[column]))]))
    saved.current = results.current.length
  }
  return (
    <Import
      verb="Validate"
      size={BATCH}
      hint="One address per line, or CSV. Addresses are checked 100 at a time; keep this page open until it finishes, and download the results."
      call={ask}
      started={() => {
        results.current = []
        saved.current = 0
        setCounts({ valid: 0, invalid: 0, unknown: 0 })
      }}
      finished={() => void refresh(QUOTA)}
      isLost={() => results.current.length > saved.current}
      before={({ entries }) =>
        remaining === null ? null : (
          <p className={entries.length > remaining ? 'text-bad' : 'text-quiet'}>
            This uses {figure(entries.length)} of your {figure(remaining)} remaining validations
            {entries.length > remaining && ': it will stop when they run out'}. Resets <Time at={resetAt} />.
          </p>
        )
      }
      result={
        <div className="flex flex-wrap items-center gap-4">
          <span>
            <State name="valid" /> {figure(counts.valid)}
          </span>
          <span>
            <State name="invalid" /> {figure(counts.invalid)}
          </span>
          <span>
            <State name="unknown" /> {figure(counts.unknown)}
          </span>
          <Button small onClick={download}>
            Download results
          </Button>
        </div>
      }
    />
  )
}
