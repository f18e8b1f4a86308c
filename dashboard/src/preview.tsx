// A mail shown as it came: in a frame that may run nothing, load nothing and lead nowhere.

import { useState } from 'react'
import { Button, Code } from './ui.tsx'

export function Preview({
  base,
  html,
  text,
  headers,
}: {
  /** The path of the mail in the API; `/preview` and `/raw` stand behind it. */
  readonly base: string
  readonly html: boolean
  readonly text: string | null
  readonly headers?: string
}) {
  const [view, setView] = useState<'html' | 'text' | 'source'>(html ? 'html' : 'text')
  const [narrow, setNarrow] = useState(false)
  const [source, setSource] = useState<string | null>(null)
  const show = async (wanted: typeof view): Promise<void> => {
    setView(wanted)
    if (wanted === 'source' && source === null) {
      const answer = await fetch(`/api/v1${base}/raw`)
      setSource(await answer.text())
    }
  }
  const tabs = [...(html ? (['html'] as const) : []), 'text', 'source'] as const
  return (
    <div>
      <div className="mb-2 flex flex-wrap gap-2" role="group" aria-label="View">
        {tabs.map((name) => (
          <Button key={name} kind={view === name ? 'main' : 'plain'} onClick={() => void show(name)}>
            {name === 'html' ? 'HTML' : name === 'text' ? 'Text' : 'Source'}
          </Button>
        ))}
        {view === 'html' && (
          <Button onClick={() => setNarrow(!narrow)}>{narrow ? 'Desktop width' : 'Phone width'}</Button>
        )}
      </div>
      {view === 'html' && (
        <iframe
          title="The mail"
          sandbox=""
          src={`/api/v1${base}/preview`}
          className={`h-[32rem] rounded border border-line bg-white ${narrow ? 'w-[375px] max-w-full' : 'w-full'}`}
        />
      )}
      {view === 'text' && <Code text={text ?? '(no text part)'} />}
      {view === 'source' && <Code text={source ?? headers ?? '…'} />}
    </div>
  )
}
