import { type FormEvent, useState } from 'react'
import { ApiProblem, call, queries } from '../api/api.ts'
import { Button, Field, Problem } from '../ui/ui.tsx'

/** @param again whether the session ended while somebody was signed in */
export function SignIn({ again = false }: { readonly again?: boolean }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [asksCode, setAsksCode] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await call('POST', '/session', {
        email,
        password,
        ...(code.trim() !== '' && { code: code.replaceAll(/\s/g, '') }),
      })
      await queries.invalidateQueries()
    } catch (problem) {
      if (problem instanceof ApiProblem && problem.code === 'second_factor_required') setAsksCode(true)
      else setError(problem)
    } finally {
      setBusy(false)
    }
  }

  return (
    <main className="mx-auto mt-[12vh] max-w-sm px-4">
      <title>Sign in · Posthorn</title>
      <h1 className="mb-1 text-xl font-semibold">Posthorn</h1>
      <p className="mb-6 text-quiet">
        {again
          ? 'Your session ended. Sign in again to continue where you left off.'
          : 'The first start prints a link on the console that makes you the operator; `posthorn operator token` prints a new one.'}
      </p>
      <form onSubmit={(event) => void submit(event)} className="grid gap-4">
        <Field
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={setEmail}
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
        />
        {asksCode && (
          <Field
            label="Authentication or recovery code"
            name="code"
            autoComplete="one-time-code"
            hint="This account uses two-factor authentication."
            literal
            focused
            required
            value={code}
            onChange={setCode}
          />
        )}
        <Problem error={error} />
        <Button type="submit" kind="main" disabled={busy}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
