// Checks an email before it is sent: content score, and whether the send would be allowed.

import { type FormEvent, useState } from 'react'
import { call, type Json } from '../api.ts'
import { Table } from '../table.tsx'
import { Button, Field, Page, Problem, Section, State } from '../ui.tsx'

const ACTIONS: Readonly<Record<string, string>> = {
  allow: 'It would be sent.',
  warn: 'It would be sent, with a warning.',
  soft_block: 'It would be refused, unless the send says that it is intended.',
  block: 'It would be refused.',
}

export function Risk() {
  const [mail, setMail] = useState({ to: '', subject: '', html: '' })
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
    const { to, subject, html } = mail
    try {
      setContent((await call('POST', '/content-score', { subject, html })).data)
      if (to !== '') setRisk((await call('POST', '/risk/preview', { to, subject, html })).data)
    } catch (problem) {
      setContent(null)
      setError(problem)
    }
    setBusy(false)
  }
  return (
    <Page
      needs="content"
      title="Content and risk"
      sentence="How spam filters may judge an email, and what to change before you send it. Nothing is sent from here."
    >
      <form onSubmit={(event) => void look(event)} className="grid gap-3">
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Subject" required value={mail.subject} onChange={set('subject')} />
          <Field
            label="To, for a risk check"
            type="email"
            value={mail.to}
            onChange={set('to')}
            hint="Add a recipient to see whether the email would be sent."
          />
        </div>
        <Field label="HTML" rows={10} mono required value={mail.html} onChange={set('html')} />
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
