// Erasing people who ask to be forgotten, and the record of it.

import { useState } from 'react'
import { AddForm } from '../ui/add-form.tsx'
import { announce } from '../ui/announcements.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Listing, useFirstPage } from '../ui/listing.tsx'
import { NOT_YET, Page, Section, State, Time } from '../ui/ui.tsx'
import { counted, figure } from '../words/number-format.ts'

const PATH = '/customer/erasures'
const EVERY_MS = 5_000

function stateOf(first: ReturnType<typeof useFirstPage>): string {
  if (first === undefined) return NOT_YET
  if (first.total === 0) return 'For people who ask to be forgotten.'
  const pending = first.rows.filter(({ status }) => status !== 'completed').length
  // The newest are those that may be pending.
  return `${counted(first.total, 'erasure')}, ${pending === 0 ? 'all completed' : `${figure(pending)} not completed yet`}.`
}

export function Erasures() {
  const [sure, setSure] = useState(false)
  const first = useFirstPage(PATH, 'page', { always: EVERY_MS })
  return (
    <Page
      title="Erasures"
      sentence={stateOf(first)}
      more="The emails sent to the person, the contact and the list entries are deleted; events stay without the person, so that statistics stay true. A salted hash of the address stays, so that no more email is sent to it."
    >
      <AddForm
        path={PATH}
        scope="contacts:write"
        fields={[{ name: 'email', label: 'Email address', type: 'email' }]}
        button="Erase"
        lacks={!sure}
        added={({ email, emails_canceled: canceled }) => {
          setSure(false)
          announce(`${email} is being erased. ${figure(canceled)} waiting emails were canceled.`)
        }}
      >
        <Checkbox className="h-[34px]" checked={sure} onChange={setSure}>
          I know that this cannot be undone
        </Checkbox>
      </AddForm>
      <Section title="All erasures">
        <Listing
          path={PATH}
          pages="page"
          caption="Erasures"
          always={EVERY_MS}
          filters={[]}
          columns={[
            { head: 'Address', main: true, cell: ({ email }) => email ?? 'erased' },
            { head: 'Status', cell: ({ status }) => <State name={status} /> },
            { head: 'Emails canceled', right: true, wide: true, cell: ({ emails_canceled: count }) => figure(count) },
            { head: 'Emails erased', right: true, cell: ({ emails_erased: count }) => figure(count) },
            { head: 'Requested', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
            { head: 'Completed', right: true, named: true, cell: ({ completed_at: at }) => <Time at={at} /> },
          ]}
          empty="Nobody has been erased yet. An erasure is completed within minutes, or once your webhooks have received the last events about it."
        />
      </Section>
    </Page>
  )
}
