// `npm run build`: makes what a start would otherwise make in the checkout, so that the service may run as a user who cannot
// write there. The dashboard is built by bootstrap.mjs; here are the links of the embedded PostgreSQL's libraries.

import { dashboardPages } from '../src/dashboard.ts'
import { installedBinaries } from '../src/platform/postgres/binaries.ts'

const { version } = await installedBinaries()
console.log(`the embedded PostgreSQL ${version} is complete`)
console.log(dashboardPages() === null ? 'there is no dashboard' : 'the dashboard is built')
