// The processes of the installation: each keeps a row with its roles, version and state for the operator to look at. The rows
// decide nothing about mail; mail leases belong to the outbox. A killed process leaves its row, which shows how long the process
// has been silent and is deleted after a day. It also states the settings that must be the same in all processes.
//
// Beside them the host names that processes have had: mail that another machine sent, or that was sent under a former name, is
// reported about at that name. And the time of day by which data is deleted, which a clock that jumps does not change at once.

export { differingSettings, settingsElsewhere } from './agreement.ts'
export { type MachinesOptions, machineService } from './heartbeat.ts'
export { forgetHostnames, type Hostnames, type HostnamesOptions, hostnamesOf } from './hostnames.ts'
export { type MachineRoutesOptions, machineRoutes } from './routes.ts'
export { settledClock } from './settled-time.ts'
export {
  type Running,
  readSettledTime,
  runningBehind,
  runningRoles,
} from './sql.ts'
