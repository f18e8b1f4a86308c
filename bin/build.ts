// `npm run build`: creates everything that a start would otherwise create in the checkout, so that the service can run as a user
// without write access. bootstrap.mjs builds the dashboard; this file links the libraries of the embedded PostgreSQL.

import { dashboardPages } from '../src/dashboard.ts'
import { installedBinaries } from '../src/platform/postgres/binaries.ts'

const { version } = await installedBinaries()
console.log(`the embedded PostgreSQL ${version} is complete`)
console.log(dashboardPages() === null ? 'there is no dashboard' : 'the dashboard is built')
