// Every command but those of main.ts itself.

import type { Command } from './platform/command.ts'

export const commands: readonly Command[] = []
