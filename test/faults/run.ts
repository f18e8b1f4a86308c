// `npm run faults -- --kills 1000 --resume`: the long form, in parts that add up.
//
//   --kills N       run until the total has this many kills (default 100)
//   --part N        kills in one part; each part has its own world (default 25)
//   --seed N        seed of the first part, plus 1 for each next part (default: from the clock). Printed with each part
//   --scene NAME    whole | parts | both (default): see nemesis.ts
//   --graceful      stop and start instead of kill -9: no mail may come twice
//   --dir FOLDER    folder of the parts and the total (default data-faults in the checkout); the user postgres must have access
//   --resume        continue the total in the folder; without it the total starts from zero
//   --later SHARE   share of mails whose receiver defers them once: a part then takes seven minutes more
//   --minutes N     start no new part after N minutes
//
// Each part writes its ledgers, its verdict and its seed. A part with a fault ends the run with exit code 1 and keeps its
// folder. The folder of a part without fault is removed, unless --keep.

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
