import { Link } from '@tanstack/react-router'
import { Page } from '../ui/ui.tsx'

/** Shown at a URL that is not a page of the dashboard. */
export function NotFound() {
  return (
    <Page
      title="Page not found"
      sentence="There is nothing at this address. It may be mistyped, or belong to another release."
    >
      <Link to="/" className="underline">
        Go to the overview
      </Link>
    </Page>
  )
}
