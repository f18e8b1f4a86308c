// `npm run bench` lists the benchmarks; `npm run bench -- relay [options]` runs one. Each prints a table and JSON.

import { spawn } from 'node:child_process'
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
  spawn(process.execPath, [path.join(folder, `${name}.ts`), ...args], { stdio: 'inherit' }).on('exit', (code) =>
    process.exit(code ?? 1),
  )
} else {
  console.error(`no benchmark «${name}»; there are ${names.join(', ')}`)
  process.exit(1)
}
