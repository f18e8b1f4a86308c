// The second factor of the signed-in person: offer, activation by a code, removal.

import encodeQR from 'qr'
import { type FormEvent, useState } from 'react'
import { ApiProblem, call, type Json, refresh } from '../api/api.ts'
import { ShownOnce } from '../ui/shown-once.tsx'
import { Button, Code, Field, Problem } from '../ui/ui.tsx'

/** Authenticator apps show `123 456`. */
function written(code: string): string {
  return code.replaceAll(/\s/g, '')
}

/** In the form's own words: the API has one message for all places that check credentials. */
function wrongCode(problem: unknown, withPassword: boolean): unknown {
  if (!(problem instanceof ApiProblem) || problem.code !== 'invalid_credentials') return problem
  return new Error(
    withPassword
      ? 'The password or the code is wrong. Each code works once, for 30 seconds.'
      : 'The code is wrong. Each code is valid for 30 seconds: enter the one shown now. Is the clock of your device correct?',
  )
}

/** A QR code. Dark on light in either colour scheme, with the quiet zone that readers need. */
function Picture({ text }: { readonly text: string }) {
  const rows = encodeQR(text, 'raw', { border: 4 })
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg
      role="img"
      aria-label="QR code of the secret"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      className="w-52 max-w-full"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={squares.join('')} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}

export function SecondFactor({ on }: { readonly on: boolean }) {
  const [offer, setOffer] = useState<Json>(null)
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const [recovery, setRecovery] = useState<readonly string[] | null>(null)
  const [error, setError] = useState<unknown>(null)
  const run = async (work: () => Promise<void>): Promise<void> => {
    setError(null)
    await work().catch((problem: unknown) => setError(wrongCode(problem, on)))
    await refresh('/session')
  }
  const confirmOffer = (event: FormEvent): void => {
    event.preventDefault()
    void run(async () => {
      setRecovery((await call('PUT', '/session/totp', { code: written(code) })).data.recovery_codes)
      setOffer(null)
      setCode('')
    })
  }
  const takeAway = (event: FormEvent): void => {
    event.preventDefault()
    void run(async () => {
      await call('POST', '/session/totp/remove', { current_password: password, code: written(code) })
      setRecovery(null)
      setCode('')
      setPassword('')
    })
  }
  return (
    <div>
      <Problem error={error} />
      <div role="status">
        {recovery !== null && (
          <ShownOnce key={recovery[0]} text={recovery.join('\n')} what="the recovery codes">
            Recovery codes, shown only once. Each works once, if you lose your authenticator.
          </ShownOnce>
        )}
      </div>
      {on ? (
        <form onSubmit={takeAway} className="flex flex-wrap items-end gap-3">
          <Field label="Password, to turn it off" type="password" required value={password} onChange={setPassword} />
          <Field
            label="Authentication or recovery code"
            autoComplete="one-time-code"
            literal
            required
            value={code}
            onChange={setCode}
          />
          <Button type="submit" kind="danger">
            Turn off
          </Button>
        </form>
      ) : offer === null ? (
        <>
          <p className="mb-2 max-w-[70ch] text-quiet">
            Off. When on, signing in also takes a code from an authenticator app: your password alone is not enough.
          </p>
          <Button onClick={() => void run(async () => setOffer((await call('POST', '/session/totp')).data))}>
            Set up
          </Button>
        </>
      ) : (
        <form onSubmit={confirmOffer} className="grid max-w-xl gap-3">
          <p>Scan this QR code with your authenticator app, or enter the secret there, then type the code it shows.</p>
          <Picture text={offer.url} />
          <Code text={offer.secret} />
          <p className="break-all text-quiet">
            <a href={offer.url} className="underline">
              Open in an authenticator on this device
            </a>
          </p>
          <Field label="Code" autoComplete="one-time-code" literal required value={code} onChange={setCode} />
          <div>
            <Button type="submit" kind="main">
              Turn on
            </Button>
          </div>
        </form>
      )}
    </div>
  )
}
