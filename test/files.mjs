// Runs test files, each in a process of its own.
//
// A full run takes minutes on a machine that others use too, and one of its hundreds of files may fail by chance. So files
// with a failed test run once more, one at a time; those that pass only then are listed by name at the end, for somebody to
// check. A file may also hang after its tests are through, which no time limit of a test ends, and the whole run would wait
// for it. So the process of a file is killed after a time that no file needs, and counts as failed.
//
// A run may have to end at a given time: then no file is begun after it, and those that were not begun are counted at the end.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const FILE_TIMEOUT_MS = 8 * 60_000
const LOOK_EVERY_MS = 5_000
/** When more files than this fail, it is not by chance. */
const MOST_BY_CHANCE = 20
/** Of a run that ends at a given time: files begun together. The time is looked at between two such groups. */
const GROUP = 24
const root = path.join(import.meta.dirname, '..')

/** @returns whether all passed, at the first or at the second attempt */
export async function passTwice(files, options) {
  const failed = await failing(files, options)
  if (failed.length === 0) return true
  if (options.signal?.aborted) return false
  if (failed.length > MOST_BY_CHANCE) {
    console.log(`\n${failed.length} files failed, too many to be run once more`)
    return false
  }
  console.log(`\nWith failures, run once more:\n${failed.join('\n')}\n`)
  const again = await failing(failed, { ...options, concurrency: 1, until: undefined })
  for (const file of failed)
    console.log(`${again.includes(file) ? 'FAILED  twice' : 'passed  only when run once more'}: ${file}`)
  return again.length === 0
}

/**
 * @param options of `run`; `fileTimeout`: longest time that a file may take, in ms; `until`: after this time, in ms since
 *   1970, no file but those of the first group is begun
 * @returns the files with a failed test
 */
export async function failing(files, { fileTimeout = FILE_TIMEOUT_MS, until, ...options }) {
  const failed = new Set()
  let begun = 0
  async function* events() {
    const together = until === undefined ? files.length : GROUP
    const isOver = () => options.signal?.aborted || (until !== undefined && Date.now() >= until)
    while (begun < files.length && (begun === 0 || !isOver())) {
      const group = files.slice(begun, begun + together)
      begun += group.length
      yield* run({ files: group, ...options })
    }
  }
  async function* noted() {
    for await (const event of events()) {
      const { file, name, todo } = event.data
      if (event.type === 'test:fail' && todo === undefined) failed.add(path.relative(root, file ?? name))
      yield event
    }
  }
  const looking = endingWhoHangs(files, fileTimeout)
  await pipeline(noted, new spec(), process.stdout, { end: false })
  clearInterval(looking)
  if (begun < files.length)
    console.log(
      `\nNot run, because the time was over: ${files.length - begun} of ${files.length} files, from ${files[begun]} on`,
    )
  return [...failed].sort()
}

function endingWhoHangs(files, fileTimeout) {
  const since = new Map()
  return setInterval(
    () => {
      for (const { pid, file } of runningOf(files)) {
        if (!since.has(pid)) since.set(pid, performance.now())
        if (performance.now() - since.get(pid) < fileTimeout) continue
        console.log(`${file} is not through after ${fileTimeout} ms, and is killed`)
        process.kill(pid, 'SIGKILL')
      }
    },
    Math.min(LOOK_EVERY_MS, fileTimeout),
  )
}

/** Child processes of this one that run one of the files. Only on Linux; elsewhere the list is empty and nothing is killed. */
function runningOf(files) {
  try {
    return readdirSync('/proc/self/task')
      .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').match(/\d+/g) ?? [])
      .flatMap((pid) => {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        const file = files.find((one) => words.some((word) => path.resolve(root, word) === path.resolve(root, one)))
        return file === undefined ? [] : [{ pid: Number(pid), file }]
      })
  } catch {
    return []
  }
}
