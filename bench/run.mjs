// `npm run bench` lists the benchmarks; `npm run bench -- relay [options]` runs one. Each prints a table and JSON.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const folder = import.meta.dirname
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && !name.startsWith('fixture'))
  .map((name) => name.slice(0, -3))
const [name, ...args] = process.argv.slice(2)

if (name === undefined) {
  for (const one of names) {
    const [head = ''] = readFileSync(path.join(folder, `${one}.ts`), 'utf8').split('\n')
    console.log(`${one.padEnd(14)} ${head.replace(/^\/\/ /, '')}`)
  }
} else if (names.includes(name)) {
  // In place of this process, so that a signal reaches the benchmark.
  const words = [process.execPath, path.join(folder, `${name}.ts`), ...args]
  process.removeAllListeners('warning') // hides the warning that execve is experimental
  process.execve(process.execPath, words, process.env)
} else {
  console.error(`no benchmark «${name}»; there are ${names.join(', ')}`)
  process.exit(1)
}
