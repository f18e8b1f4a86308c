// Shows a template as it is being written, filled in with the values entered here. The service fills it in, as for a send.

import { useEffect, useRef, useState } from 'react'
import { besides, call, faultOf, type Json, mayPass } from '../api/api.ts'
import { Code, Empty, Field, Problem } from '../ui/ui.tsx'
import { nested, type PlaceholderOf, placeholdersOf, valueTyped } from './placeholders.ts'

/** Typing is followed once it pauses this long. */
const PAUSE_MS = 300
/** A service or network that is away is asked again this often. */
const AGAIN_MS = 5_000
const PARTS = ['subject', 'html', 'text'] as const

export interface Parts {
  readonly subject: string
  readonly html: string
  readonly text: string
}

export function DraftPreview({ parts }: { readonly parts: Parts }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const places = placeholdersOf([parts.subject, parts.html, parts.text])
  const typed = ({ name, sample }: PlaceholderOf): string => values[name] ?? sample ?? ''
  const wrong = places.filter((place) => typed(place) !== '' && valueTyped(place, typed(place)) === undefined)
  const given = places.filter((place) => typed(place) !== '' && !wrong.includes(place))
  const variables = nested(Object.fromEntries(given.map((place) => [place.name, valueTyped(place, typed(place))])))
  const set = (name: string) => (value: string) => setValues((so) => ({ ...so, [name]: value }))
  return (
    <>
      <div className="mb-3 grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {places.map((place) => (
          <div key={place.name} className={place.sample === null ? '' : 'sm:col-span-2'}>
            <Field
              label={place.name}
              value={typed(place)}
              onChange={set(place.name)}
              {...(place.sample !== null && {
                mono: true,
                rows: 2,
                hint: 'A list, true or false, as JSON. Leave empty to omit it.',
              })}
              fault={wrong.includes(place) ? `must be JSON, such as ${place.sample}` : undefined}
            />
          </div>
        ))}
      </div>
      {parts.html === '' && parts.text === '' ? (
        <Empty>It appears here once there is HTML or text.</Empty>
      ) : (
        <Filled parts={parts} variables={variables} />
      )}
    </>
  )
}

function Filled({ parts, variables }: { readonly parts: Parts; readonly variables: object }) {
  const { subject, html, text } = parts
  const draft = JSON.stringify({ subject, ...(html !== '' && { html }), ...(text !== '' && { text }), variables })
  // While the draft has a fault, its last form without one is shown.
  const [shown, setShown] = useState<Json>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let isLatest = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const fillIn = (ms: number): void => {
      clearTimeout(timer)
      timer = setTimeout(() => void fill(), ms)
    }
    const fill = (): Promise<void> =>
      call('POST', '/templates/preview', JSON.parse(draft)).then(
        ({ data }: Json) => {
          if (!isLatest) return
          setShown(data)
          setError(null)
        },
        (problem: unknown) => {
          if (!isLatest) return
          setError(problem)
          if (mayPass(problem)) fillIn(AGAIN_MS)
        },
      )
    fillIn(PAUSE_MS)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [draft])
  const faults = PARTS.map((part) => [part, faultOf(error, part)] as const).filter(([, fault]) => fault !== undefined)
  return (
    <div className="grid grid-cols-1 gap-2">
      <Problem error={besides(error, PARTS)} />
      {faults.map(([part, fault]) => (
        <p key={part} role="status" className="text-wait">
          The {part === 'html' ? 'HTML' : part} {fault}.
        </p>
      ))}
      {shown !== null && shown.missing.length > 0 && (
        <p role="status" className="text-wait">
          No value for: {shown.missing.join(', ')}. A send without them leaves these variables empty.
        </p>
      )}
      <p className="min-h-5 font-semibold">{shown?.subject}</p>
      {html !== '' && <DraftFrame html={shown?.html ?? ''} />}
      {text !== '' && <Code text={shown?.text ?? ''} />}
    </div>
  )
}

/** The page in the frame replaces its content by what it is sent, and stays where it was scrolled to. */
function DraftFrame({ html }: { readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [ready, setReady] = useState(false)
  useEffect(() => {
    // The frame has no origin that could be named here.
    if (ready) frame.current?.contentWindow?.postMessage(html, '*')
  }, [ready, html])
  return (
    <iframe
      ref={frame}
      title="Template preview"
      sandbox="allow-scripts"
      src="/draft-frame"
      onLoad={() => setReady(true)}
      className="h-[34rem] w-full rounded border border-line bg-white scheme-light"
    />
  )
}
