// Shown instead of a page that the signed-in person may not see. No link leads there, but somebody may have sent the URL.

import { Link } from '@tanstack/react-router'
import { Empty, Page } from '../ui/ui.tsx'
import type { Closed } from './nav.ts'

export function ForbiddenPage({ closed: { title, to }, role }: { readonly closed: Closed; readonly role: string }) {
  return (
    <Page title={title}>
      <Empty>
        {to === 'others'
          ? 'Only an operator of this installation can see this page.'
          : `Your role does not allow this. You are ${role === 'owner' ? 'an' : 'a'} ${role} here; an owner of the account can change that.`}{' '}
        <Link to="/" className="underline">
          Go to the overview
        </Link>
      </Empty>
    </Page>
  )
}
