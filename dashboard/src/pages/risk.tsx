// Checks an email before it is sent: content score, and whether the send would be allowed.

import { type FormEvent, useState } from 'react'
import { call, type Json } from '../api/api.ts'
import { filled } from '../api/filled.ts'
import { ContentEvents } from '../emails/content-events.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Table } from '../ui/table.tsx'
import { Button, Field, Page, Problem, Section, State } from '../ui/ui.tsx'

const ACTIONS: Readonly<Record<string, string>> = {
  allow: 'It would be sent.',
  warn: 'It would be sent, with a warning.',
  soft_block: 'It would be refused, unless the send says that it is intended.',
  block: 'It would be refused.',
}

const EMPTY = { from: '', to: '', subject: '', html: '', text: '' }

export function Risk() {
  const [mail, setMail] = useState(EMPTY)
  const [isBulk, setBulk] = useState(false)
  const [content, setContent] = useState<Json>(null)
  const [risk, setRisk] = useState<Json>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const set = (field: keyof typeof mail) => (value: string) => setMail({ ...mail, [field]: value })
  const look = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    setRisk(null)
    const { from, to, subject, ...parts } = mail
    const written = { subject, ...filled(parts) }
    let scored: Json = null
    try {
      scored = (await call('POST', '/content-score', written)).data
      const send = { ...filled({ from }), to, ...written, is_bulk: isBulk }
      if (to !== '') setRisk((await call('POST', '/risk/preview', send)).data)
    } catch (problem) {
      setError(problem)
    }
    // A refused risk check leaves the score, which was counted.
    setContent(scored)
    setBusy(false)
  }
  return (
    <Page
      needs="content"
      title="Content and risk"
      sentence="How spam filters may judge an email, and what to change before you send it. Nothing is sent from here."
    >
      <form onSubmit={(event) => void look(event)} className="grid gap-3">
        <Field label="Subject" required value={mail.subject} onChange={set('subject')} />
        <Field label="HTML" rows={10} mono required={mail.text === ''} value={mail.html} onChange={set('html')} />
        <Field
          label="Text"
          rows={4}
          mono
          value={mail.text}
          onChange={set('text')}
          hint="Without one, the text part is made from the HTML."
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="To, for a risk check"
            type="email"
            value={mail.to}
            onChange={set('to')}
            hint="Add a recipient to see whether the email would be sent."
          />
          <Field
            label="From, for a risk check"
            literal
            value={mail.from}
            onChange={set('from')}
            hint="Without one, it is judged as sent from your oldest domain in use."
          />
        </div>
        <Checkbox checked={isBulk} onChange={setBulk}>
          Sent to many, as a newsletter
        </Checkbox>
        <div>
          <Button type="submit" kind="main" disabled={busy}>
            {busy ? 'Checking…' : 'Check'}
          </Button>
        </div>
      </form>
      <Problem error={error} />
      <div role="status">
        {risk !== null && <Verdict risk={risk} />}
        {content !== null && <Content content={content} />}
      </div>
      <ContentEvents />
    </Page>
  )
}

function Verdict({ risk }: { readonly risk: Json }) {
  return (
    <Section title="Risk">
      <p className="mb-3">
        <State name={risk.risk_level} />, {risk.risk_score} of 100 points. {ACTIONS[risk.action] ?? risk.action}{' '}
        {risk.block_reason}
      </p>
      <Table
        caption="Risk factors"
        rows={risk.risk_factors as readonly Json[]}
        keyOf={({ code }) => code}
        columns={[
          { head: 'Points', right: true, cell: ({ points }) => points },
          { head: 'Category', cell: ({ category }) => category },
          { head: 'Factor', main: true, cell: ({ message }) => message },
        ]}
        empty="No risk factors."
      />
      {risk.recommendations.length > 0 && (
        <>
          <p className="mt-3 text-quiet">What to do:</p>
          <ul className="list-disc pl-5">
            {risk.recommendations.map((advice: string) => (
              <li key={advice}>{advice}</li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

function Content({ content }: { readonly content: Json }) {
  return (
    <Section title={`Content: ${content.score} of 100, where 100 is clean`}>
      <Table
        caption="Content findings"
        rows={content.matches as readonly Json[]}
        keyOf={(one) => `${one.rule} ${one.location} ${one.match}`}
        columns={[
          { head: 'Points', right: true, cell: ({ points }) => points },
          { head: 'Where', cell: ({ location }) => location },
          {
            head: 'Finding',
            main: true,
            cell: ({ description, match }) => (
              <>
                {description} <span className="font-mono text-xs text-quiet">{match}</span>
              </>
            ),
          },
          { head: 'What to do', cell: ({ suggestion }) => suggestion },
        ]}
        empty="No issues found."
      />
    </Section>
  )
}
