// What receivers report of DMARC (RFC 9990): how much mail came in the name of an account's domain, from where, and what passed.
//
// Reports come by mail to the inbound MX, which hands them to the intake. Nothing else in the service depends on them.

export { dmarcTables } from './account-tables.ts'
export { dmarcReportCommands } from './cli.ts'
export {
  DMARC_REPORTS_AT,
  type DmarcIntake,
  dmarcIntake,
  forgetDmarcReports,
} from './intake.ts'
export { type DmarcReportRoutesOptions, dmarcReportRoutes } from './routes.ts'
