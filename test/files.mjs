// Test files, run each in a process of its own.
//
// A whole run takes minutes on a machine that others use too, and one of its hundreds of files may have a bad second. So
// files with a test that failed are run once more, one at a time; what passed only then is told by name at the end, for
// somebody to look at.

import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const root = path.join(import.meta.dirname, '..')

/** @returns whether all passed, at the first or at the second try */
export async function passTwice(files, options) {
  const failed = await failing(files, options)
  if (failed.length === 0) return true
  console.log(`\nWith failures, run once more:\n${failed.join('\n')}\n`)
  const again = await failing(failed, { ...options, concurrency: 1 })
  for (const file of failed)
    console.log(`${again.includes(file) ? 'FAILED  twice' : 'passed  only when run once more'}: ${file}`)
  return again.length === 0
}

/** @returns the files that had a test that failed */
export async function failing(files, options) {
  const failed = new Set()
  const events = run({ files, ...options })
  events.on('test:fail', ({ file, name, todo }) => {
    if (todo === undefined) failed.add(path.relative(root, file ?? name))
  })
  await pipeline(events, new spec(), process.stdout, { end: false })
  return [...failed].sort()
}
