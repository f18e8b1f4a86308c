// What the person who is signed in may do, as the scopes of a key say it. What would be refused is not offered.

import { createContext, type ReactNode, useContext } from 'react'
import { allows, type Scope } from '../../src/modules/accounts/scopes.ts'

export type { Scope }

const Scopes = createContext<readonly string[]>([])

/** Around all pages: `scopes` as `GET /session` tells them. */
export const Reach = Scopes.Provider

/** Whether who has these scopes may do what asks for one; all may do what asks for none. */
export function reaches(scopes: readonly string[], scope: Scope | undefined): boolean {
  return scope === undefined || allows(scopes, scope)
}

/** @returns whether the person who is signed in may do what asks for a scope */
export function useMay(): (scope: Scope | undefined) => boolean {
  const scopes = useContext(Scopes)
  return (scope) => reaches(scopes, scope)
}

export function May({ scope, children }: { readonly scope: Scope; readonly children: ReactNode }) {
  return useMay()(scope) ? children : null
}

/** Fields that show what stands to everybody, and take a change from those who may make it; buttons are theirs alone. */
export function Held({ scope, children }: { readonly scope: Scope; readonly children: ReactNode }) {
  const may = useMay()(scope)
  return (
    <fieldset disabled={!may} className="contents">
      {children}
    </fieldset>
  )
}
