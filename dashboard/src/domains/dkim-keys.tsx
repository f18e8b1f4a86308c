// The keys that sign the email of a domain, and their replacement.

import { useState } from 'react'
import { call, type Json, refresh } from '../api/api.ts'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Problem, Time } from '../ui/ui.tsx'
import { Records } from './dns-records.tsx'

export function isOfNextKeys({ purpose }: Json): boolean {
  return purpose === 'dkim_next'
}

export function DkimKeys({
  domain: { id, domain: name, dkim_selector: selector, dkim_rotation: rotation, previous_dkim_key: previous },
  records,
}: {
  readonly domain: Json
  /** Of the new keys, RSA first; empty while they are not being replaced. */
  readonly records: readonly Json[]
}) {
  const [error, setError] = useState<unknown>(null)
  const act = async (method: 'POST' | 'DELETE', done: string): Promise<void> => {
    setError(null)
    try {
      await call(method, `/customer/domains/${id}/dkim/rotate`)
      await refresh('/customer/domains')
      announce(done)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <>
      <Problem error={error} />
      <p>
        Email is signed under the selector <code className="font-mono text-xs">{selector}</code>.
      </p>
      {previous !== null && Date.parse(previous.keep_record_until) > Date.now() && (
        <p className="mt-1 text-quiet">
          It replaced <code className="font-mono text-xs">{previous.selector}</code> on{' '}
          <Time at={previous.replaced_at} />. Keep the records of that selector until{' '}
          <Time at={previous.keep_record_until} />: email signed under it may still be verified.
        </p>
      )}
      {rotation === null ? (
        <div className="mt-3">
          <Confirm
            kind="plain"
            label="Replace DKIM keys"
            yes="Make new keys"
            scope="domains:write"
            question={`Make new DKIM keys for ${name}? The current ones sign until the record of the new ones is found.`}
            onYes={() => void act('POST', 'New DKIM keys made. Publish their record, then verify.')}
          />
        </div>
      ) : (
        <>
          <p className="my-3">
            Publish the record of the new keys beside the current one, then verify. Email is signed with the new keys
            once it is found.
          </p>
          <Records list={records.map((record, at) => ({ ...record, required: at === 0 }))} />
          <div className="mt-3">
            <Confirm
              kind="plain"
              label="Keep current keys"
              scope="domains:write"
              question={`Drop the new DKIM keys of ${name} and keep the current ones?`}
              onYes={() => void act('DELETE', 'The current DKIM keys stay.')}
            />
          </div>
        </>
      )}
    </>
  )
}
