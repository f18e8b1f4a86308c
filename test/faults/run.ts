// `npm run faults -- --kills 1000 --resume`: the long form, in parts that add up.
//
//   --kills N       until so many kills stand in the total (default 100)
//   --part N        kills in one part, which has a world of its own (default 25)
//   --seed N        of the first part; the next ones count up (default: from the clock). Printed with each part
//   --scene NAME    whole | parts | both (default): see nemesis.ts
//   --graceful      stop and start instead of kill -9: nothing may come twice at all
//   --dir FOLDER    where parts and total stand (default data-faults in the checkout); must be open to the user postgres
//   --resume        go on with the total that stands there; without it the total begins anew
//   --later SHARE   of mails whose receiver puts them off once: a part then takes seven minutes more
//   --minutes N     start no new part after so long
//
// Each part leaves its ledgers, its verdict and its seed; a part with a fault ends the run with 1, and the folder is kept.
// Ledgers of a part without fault are removed, unless --keep.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Verdict } from './checker.ts'
import { now } from './ledger.ts'
import type { SceneName } from './nemesis.ts'
import { runPart } from './part.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    part: { type: 'string', default: '25' },
    seed: { type: 'string', default: String(Math.round(now()) % 1_000_000) },
    scene: { type: 'string', default: 'both' },
    graceful: { type: 'boolean', default: false },
    dir: { type: 'string', default: path.join(import.meta.dirname, '..', '..', 'data-faults') },
    resume: { type: 'boolean', default: false },
    later: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '100000' },
    keep: { type: 'boolean', default: false },
  },
})

type Figures = Verdict['figures']
interface Total extends Figures {
  readonly parts: number
  readonly faults: number
}

const NOTHING: Total = {
  parts: 0,
  faults: 0,
  asked: 0,
  accepted: 0,
  lost: 0,
  copies: 0,
  duplicates: 0,
  mostDuplicates: 0,
  takenTwice: 0,
  underWay: 0,
  kills: 0,
  events: 0,
  webhooks: 0,
  webhooksRepeated: 0,
  hits: 0,
  slowestStartMs: 0,
  slowestAnswerMs: 0,
}
const LARGEST: readonly string[] = ['mostDuplicates', 'slowestStartMs', 'slowestAnswerMs']

function added(total: Total, { figures, faults }: Verdict): Total {
  const sums = Object.entries(figures).map(([name, value]) => {
    const before = total[name as keyof Total] ?? 0
    return [name, LARGEST.includes(name) ? Math.max(before, value) : before + value]
  })
  return { ...(Object.fromEntries(sums) as Figures), parts: total.parts + 1, faults: total.faults + faults.length }
}

function sentence(total: Total): string {
  const { parts, accepted, lost, kills, duplicates, mostDuplicates, takenTwice, underWay, faults } = total
  const what = values.graceful ? 'graceful restarts' : 'kills'
  return (
    `${lost} of ${accepted} accepted mails lost over ${kills} ${what}; ${duplicates} came twice, ` +
    `at most ${mostDuplicates} at one of them (${underWay} were under way then); ${takenTwice} without a key were stored twice; ${faults} faults in ${parts} parts`
  )
}

const { dir } = values
mkdirSync(dir, { recursive: true })
chmodSync(dir, 0o755)
const totalFile = path.join(dir, values.graceful ? 'total-graceful.json' : 'total.json')
let total: Total =
  values.resume && existsSync(totalFile) ? (JSON.parse(readFileSync(totalFile, 'utf8')) as Total) : NOTHING
const until = now() + Number(values.minutes) * 60_000
const scenes: readonly SceneName[] = values.scene === 'both' ? ['whole', 'parts'] : [values.scene as SceneName]
const done = (): number => (values.graceful ? total.parts * Number(values.part) : total.kills)
for (let seed = Number(values.seed); done() < Number(values.kills) && now() < until && total.faults === 0; seed++) {
  const scene = scenes[total.parts % scenes.length] as SceneName
  const folder = path.join(dir, `part-${seed}-${scene}`)
  const kills = Math.min(Number(values.part), Number(values.kills) - done())
  console.log(`seed ${seed}: ${kills} blows at the scene "${scene}"`)
  const { graceful } = values
  const verdict = await runPart({ folder, seed, scene, kills, graceful, later: Number(values.later) })
  total = added(total, verdict)
  writeFileSync(path.join(folder, 'verdict.json'), JSON.stringify(verdict, null, 1))
  writeFileSync(totalFile, JSON.stringify(total, null, 1))
  console.log(JSON.stringify(verdict.figures))
  for (const { rule, what } of verdict.faults.slice(0, 50)) console.log(`FAULT ${rule}: ${what}`)
  if (verdict.faults.length === 0 && !values.keep) rmSync(folder, { recursive: true, force: true })
}
console.log(sentence(total))
process.exit(total.faults === 0 ? 0 : 1)
