import { Link } from '@tanstack/react-router'
import { Page } from './ui.tsx'

/** At an address that is none of the dashboard's. */
export function Nowhere() {
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
