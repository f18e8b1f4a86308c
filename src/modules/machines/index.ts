// What runs where: each process of the installation keeps a row with its roles, version and state, for the operator to
// look at. Nothing is decided by it; leases of mail are the outbox's. A process that was killed leaves its row, which
// then says for how long it has been silent, and goes after a day.

export { type MachinesOptions, machineService } from './beat.ts'
export { type MachineRoutesOptions, machineRoutes } from './routes.ts'
export { type Running, runningBehind, runningRoles } from './sql.ts'
