// Fuzzes parsers, one after another, in threads of this process:
//
//   node test/fuzz/run.mjs                         every target for 10 seconds
//   FUZZ_SECONDS=600 node test/fuzz/run.mjs dsn    one target, longer
//   FUZZ_SEED=1234 ...                             the same inputs again
//
// POSTHORN_CORPORA names a folder with more seeds. An input that breaks a target is written to test/fuzz/crashes/TARGET,
// where every run tries it first, and the exit code is 1.

import { fuzz, keep, targetNames } from './driver.ts'

const DEFAULT_SECONDS = 10
const SHOWN_BYTES = 300

const seconds = Number(process.env.FUZZ_SECONDS ?? DEFAULT_SECONDS)
const corpora = process.env.POSTHORN_CORPORA ?? null
const known = targetNames()
const wanted = process.argv.slice(2)
const strange = wanted.filter((name) => !known.includes(name))
if (strange.length > 0 || !(seconds > 0)) {
  console.error(`targets: ${known.join(', ')}; FUZZ_SECONDS: more than 0`)
  process.exit(2)
}
let found = 0
for (const target of wanted.length > 0 ? wanted : known) {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 4_294_967_296)
  console.log(`${target}: FUZZ_SEED=${seed}`)
  const { executions, sorts, slowestMs, findings } = await fuzz({ target, seed, forMs: seconds * 1_000, corpora })
  const figures = [`${executions} executions`, `${sorts} sorts of input`, `slowest ${slowestMs.toFixed(0)} ms`]
  console.log(`${target}: ${seconds} s, ${figures.join(', ')}, ${findings.length} findings`)
  for (const finding of findings) {
    found++
    console.log(
      `${keep(target, finding)}\n${finding.what}\n${JSON.stringify(Buffer.from(finding.input).toString('latin1').slice(0, SHOWN_BYTES))}`,
    )
  }
}
process.exit(found === 0 ? 0 : 1)
