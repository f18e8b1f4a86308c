// `node test/faults/check.ts FOLDER`: runs only the checker, over the ledgers of a kept part.

import { check } from './checker.ts'
import { readLedgers } from './joined.ts'

const [folder = '.'] = process.argv.slice(2)
const { faults, figures } = check(readLedgers(folder))
console.log(JSON.stringify(figures, null, 1))
for (const { rule, what } of faults) console.log(`FAULT ${rule}: ${what}`)
process.exitCode = faults.length === 0 ? 0 : 1
