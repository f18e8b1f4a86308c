// The door of the room: mail of the system itself, to the operator and to accounts.

export { type ForwardOptions, operatorForward } from './forward.ts'
export { type SystemMail, type SystemMailer, systemMailer } from './system-mail.ts'
