// The call that fills an empty page, to copy.

import { Code, Copy } from './ui.tsx'

/** Placeholder: existing keys cannot be shown in full. */
export const NO_KEY = 'YOUR_TEST_KEY'

/** The first email, which a test key sends to the inbox. */
export const FIRST_EMAIL = {
  from: 'you@example.com',
  to: 'someone@example.net',
  subject: 'Hello',
  text: 'It works.',
}

export function ExampleCall({
  path,
  body,
  apiKey = NO_KEY,
  copied,
}: {
  /** Below `/api/v1`. */
  readonly path: string
  readonly body: Readonly<Record<string, string | readonly string[]>>
  readonly apiKey?: string
  /** Called when an example is in the clipboard. */
  readonly copied?: () => void
}) {
  const url = `${location.origin}/api/v1${path}`
  const json = `{ ${Object.entries(body)
    .map(([name, value]) => `"${name}": ${JSON.stringify(value)}`)
    .join(', ')} }`
  const curl = `curl -sS ${url} \\\n  -H 'X-API-Key: ${apiKey}' -H 'Content-Type: application/json' \\\n  -d '${json}'`
  const script = `await fetch('${url}', {\n  method: 'POST',\n  headers: { 'x-api-key': '${apiKey}', 'content-type': 'application/json' },\n  body: JSON.stringify(${json.replaceAll(/"(\w+)":/g, '$1:').replaceAll('"', "'")}),\n})`
  return (
    <div className="grid gap-3 text-ink">
      {[
        ['curl', curl],
        ['TypeScript', script],
      ].map(([name = '', text = '']) => (
        <div key={name}>
          <p className="mb-1 flex items-center justify-between text-quiet">
            {name} <Copy text={text} what={`the ${name} example`} {...(copied !== undefined && { done: copied })} />
          </p>
          <Code text={text} />
        </div>
      ))}
    </div>
  )
}

/** For pages that have a form too. */
export function AsCall({ path, body }: Pick<Parameters<typeof ExampleCall>[0], 'path' | 'body'>) {
  return (
    <details className="mt-3">
      <summary className="cursor-pointer">As an API call</summary>
      <div className="mt-2">
        <ExampleCall path={path} body={body} apiKey="YOUR_KEY" />
      </div>
    </details>
  )
}
