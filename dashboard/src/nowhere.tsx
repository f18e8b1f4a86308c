import { Link } from '@tanstack/react-router'
import { Page } from './ui.tsx'

/** At an address that is none of the dashboard's. */
export function Nowhere() {
  return (
    <Page title="No such page" sentence="The address leads nowhere here: it may be misspelt, or of another release.">
      <Link to="/" className="underline">
        To the overview
      </Link>
    </Page>
  )
}
