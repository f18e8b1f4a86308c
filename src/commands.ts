// All commands except those of main.ts itself.

import { retryRefusal } from './composition/retries.ts'
import { accountCommands } from './modules/accounts/index.ts'
import { reportCommands } from './modules/bounces/index.ts'
import { dmarcReportCommands } from './modules/dmarc/index.ts'
import { domainCommands } from './modules/domains/index.ts'
import { queueCommands } from './modules/outbox/index.ts'
import { gatherer, recipientRefusalOf, riskCommands, TRAP_PURPOSE } from './modules/risk/index.ts'
import { statisticsCommands } from './modules/statistics/index.ts'
import { trackingCommands } from './modules/tracking/index.ts'
import { tlsReportCommands } from './modules/transport/index.ts'
import type { Command } from './platform/command.ts'

export const commands: readonly Command[] = [
  ...accountCommands,
  ...domainCommands,
  ...queueCommands(({ secrets }) =>
    retryRefusal(recipientRefusalOf(gatherer({ mac: (text) => secrets.mac(TRAP_PURPOSE, text) }))),
  ),
  ...reportCommands,
  ...tlsReportCommands,
  ...dmarcReportCommands,
  ...statisticsCommands,
  ...riskCommands,
  ...trackingCommands,
]
