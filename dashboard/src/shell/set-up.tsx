// The first set-up, at the URL that the console prints; the token is in its fragment.

import { type FormEvent, useState } from 'react'
import { besides, call, faultOf } from '../api/api.ts'
import { Button, Field, Problem } from '../ui/ui.tsx'

export function SetUp() {
  const token = location.hash.slice(1)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>(null)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      await call('POST', '/setup', { token, email, password, ...(name !== '' && { name }) })
      location.replace('/')
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <main id="main" className="mx-auto mt-[12vh] max-w-sm px-4">
      <title>Setup · Posthorn</title>
      <h1 className="mb-1 text-xl font-semibold">Set up Posthorn</h1>
      <p className="mb-6 text-quiet">This makes you the operator of this installation. The link works once.</p>
      {token === '' ? (
        <p role="alert">The link has no token. `posthorn operator token` prints a new link.</p>
      ) : (
        <form onSubmit={(event) => void submit(event)} className="grid gap-4">
          <Field
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            value={email}
            onChange={setEmail}
            fault={faultOf(error, 'email')}
          />
          <Field
            label="Password"
            type="password"
            autoComplete="new-password"
            hint="12 characters or more"
            required
            value={password}
            onChange={setPassword}
            fault={faultOf(error, 'password')}
          />
          <Field
            label="Company name"
            autoComplete="organization"
            value={name}
            onChange={setName}
            fault={faultOf(error, 'name')}
          />
          {faultOf(error, 'token') !== undefined && (
            <p role="alert" className="rounded border border-bad px-3 py-2 text-bad">
              The link is incomplete: open it exactly as it was printed. `posthorn operator token` prints a new one.
            </p>
          )}
          <Problem error={besides(error, ['email', 'password', 'name', 'token'])} />
          <Button type="submit" kind="main">
            Set up
          </Button>
        </form>
      )}
    </main>
  )
}
