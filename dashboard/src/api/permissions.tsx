// Permissions of the signed-in person, expressed as scopes. Actions that would be refused are not offered.

import { createContext, type ReactNode, useContext } from 'react'
import { allows, type Scope } from '../../../src/modules/accounts/scopes.ts'

export type { Scope }

const Scopes = createContext<readonly string[]>([])

/** Wraps all pages: `scopes` from `GET /session`. */
export const PermissionsProvider = Scopes.Provider

/** Whether these scopes include the required one; true when none is required. */
export function includesScope(scopes: readonly string[], scope: Scope | undefined): boolean {
  return scope === undefined || allows(scopes, scope)
}

/** @returns whether the signed-in person has a scope */
export function usePermission(): (scope: Scope | undefined) => boolean {
  const scopes = useContext(Scopes)
  return (scope) => includesScope(scopes, scope)
}

export function IfPermitted({ scope, children }: { readonly scope: Scope; readonly children: ReactNode }) {
  return usePermission()(scope) ? children : null
}

/** Fields that everybody can read and only permitted people can edit; buttons are shown only to them. */
export function EditableIfPermitted({ scope, children }: { readonly scope: Scope; readonly children: ReactNode }) {
  const may = usePermission()(scope)
  return (
    <fieldset disabled={!may} className="contents">
      {children}
    </fieldset>
  )
}
