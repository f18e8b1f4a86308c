// A DNS record that asks others to send reports, to copy into the zone.

import type { ReactNode } from 'react'
import type { Json } from '../api/api.ts'
import { Copy } from '../ui/ui.tsx'

/** @param what names the reports, as in "the value of the record for TLS reports" */
export function ReportRecord({
  record,
  what,
  children,
}: {
  readonly record: Json
  readonly what: string
  readonly children: ReactNode
}) {
  return (
    <div className="mb-3 rounded border border-line p-3">
      <p className="text-quiet">{children}</p>
      <dl className="mt-2 grid grid-cols-[3.5rem_1fr_auto] items-start gap-x-3 gap-y-1">
        {(['name', 'value'] as const).map((part) => (
          <div key={part} className="contents">
            <dt className="text-quiet capitalize">{part}</dt>
            <dd className="min-w-0">
              <code className="font-mono text-xs break-all">{record[part]}</code>
            </dd>
            <dd>
              <Copy text={record[part]} what={`the ${part} of the record for ${what}`} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
