// The public interface of accounts. `accountsRoom` is what runs; the rest serves the operator's commands and types.

export type { AccountSettings, TrackingDefaults } from './account-settings.ts'
export { accountOwnTables } from './account-tables.ts'
export {
  type CreatedAccount,
  createAccount,
  type OperatorContext,
  resume,
  setFeature,
  setLimits,
  setPlan,
  suspend,
} from './accounts.ts'
export type { Buckets } from './buckets.ts'
export { accountCommands } from './cli.ts'
export { accountNamed } from './cli-options.ts'
export { claimErasure, type DueErasure, deleteAccount, noteErasure } from './deletion.ts'
export { errors as accountErrors, quotaErrors } from './errors.ts'
export type { ApiGate } from './gate.ts'
export {
  type ActionRecord,
  CONSOLE,
  forgetOperatorActions,
  type Operator,
  recordOperatorAction,
  SERVICE,
} from './operator-actions.ts'
export { hasOperator, newSetupToken, PLACEHOLDER } from './operators.ts'
export { type Passwords, passwords } from './passwords.ts'
export {
  type Feature,
  type Features,
  type Limits,
  type Plan,
  type Plans,
  type RateClass,
  type Rates,
  type Resource,
  readPlans,
} from './plans.ts'
export type { EmailCharge, EmailCredits, Quotas, Receipt, Usage } from './quota.ts'
export { type Accounts, type AccountsOptions, accountsRoom, CHANNEL as ACCOUNTS_CHANNEL } from './room.ts'
export { type AccountRoutesOptions, accountRoutes, type DeliveryFigures, type SubmissionFace } from './routes.ts'
export { type OperatorRoutesOptions, operatorRoutes } from './routes-operator.ts'
export { sessionRoutes } from './routes-session.ts'
export { setupRoutes } from './routes-setup.ts'
export { allows, SCOPES, type Scope } from './scopes.ts'
export { accountSecrets } from './sealed.ts'
export { type OperatorCheck, operatorCheck } from './session-checks.ts'
export type { SmtpLogin } from './smtp-credential.ts'
export { type AccountUsage, usageOfMonth } from './sql-meter.ts'
export {
  beginForgetting,
  endForgetting,
  forgottenOfSince,
  forgottenSince,
  type Keeping,
  keepings,
  longestRetentionDays,
} from './sql-retention.ts'
export { SYSTEM_ACCOUNT_ID } from './system.ts'
export { assertWholeAccount } from './whole-account.ts'
