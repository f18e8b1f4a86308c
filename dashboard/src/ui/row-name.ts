// The name of the table row that a button stands in, so that screen readers tell the buttons of rows apart.

import { createContext } from 'react'

/** The element id of the row's main cell; undefined outside of rows. */
export const RowName = createContext<string | undefined>(undefined)
