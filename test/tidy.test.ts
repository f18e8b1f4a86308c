// Rules that no linter checks. Exceptions are listed here by name and must shrink: one that is no longer needed fails.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOMS } from '../rooms.mjs'

const ROOT = join(import.meta.dirname, '..')

// ---- exceptions --------------------------------------------------------------------------------------------------

/** Files over MAX_LINES, and the length that each may not exceed again. */
const LONG_FILES: Readonly<Record<string, number>> = {}

/** `path: table` pairs: a statement in one room that names a table of another, with the reason. */
const FOREIGN_TABLES: readonly string[] = []

/** Files outside sql*.ts that contain statements: the database's own plumbing. */
const SQL_ELSEWHERE = [
  /^src\/platform\/(?:db|database-heartbeat|postgres|store)[^/]*\.ts$/,
  /^src\/platform\/(?:db\/migrate\.ts$|postgres\/)/,
]

const MAX_LINES = 500

// ---- the files ---------------------------------------------------------------------------------------------------

interface File {
  readonly path: string
  readonly text: string
}

const BINARY = /\.(?:png|jpg|gif|ico|woff2?|gz|der|p12|crash)$/

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile())
const files: readonly File[] = tracked
  .filter((path) => !BINARY.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
const code = files.filter(({ path }) => /^(?:src|test|bench|bin)\/.*\.(?:ts|mjs)$/.test(path))
const source = code.filter(({ path }) => path.startsWith('src/'))
const production = source.filter(({ path }) => !path.endsWith('.test.ts'))

/** The text without comments, because comments may mention what code may not use. Keeps line numbers. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{(,])\/\/[^\n]*/g, '$1')
}

/** `path:line: the line` for each match. */
function found(
  among: readonly File[],
  pattern: RegExp,
  where: (file: File) => string = (file) => withoutComments(file.text),
): string[] {
  const global = new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`)
  return among.flatMap((file) => {
    const text = where(file)
    return [...text.matchAll(global)].map((match) => {
      const line = text.slice(0, match.index).split('\n').length
      return `${file.path}:${line}: ${(text.split('\n')[line - 1] ?? '').trim().slice(0, 120)}`
    })
  })
}

function none(breaches: readonly string[], promise: string): void {
  assert.equal(breaches.length, 0, `${promise}\n  ${breaches.join('\n  ')}`)
}

// ---- the rules ---------------------------------------------------------------------------------------------------

/** Files that a run, an editor or a merge leaves behind. */
const LEFTOVER = /\.(?:pid|log|tmp|orig|rej|bak|swp)$|~$/

test('no leftover of a run, an editor or a merge is part of the repository', () => {
  none(
    tracked.filter((path) => LEFTOVER.test(path)),
    'what a run leaves behind is not committed',
  )
})

test('a file that a module names by its place is there', () => {
  const named = code.flatMap(({ path, text }) =>
    [...text.matchAll(/\bimport\.meta\.dirname, ((?:'[^'$]+'(?:, )?)+)/g)].map(([, parts = '']) =>
      join(path, '..', ...parts.split(', ').map((part) => part.replaceAll("'", ''))),
    ),
  )
  assert.ok(named.length > 20, `${named.length} names: a check that checked nothing fails`)
  none(
    [...new Set(named)].filter((path) => /\.(?:ts|mjs|json)$/.test(path) && !existsSync(join(ROOT, path))),
    'files that are named and not there',
  )
})

test('there is code to check', () => {
  assert.ok(production.length > 5, 'a check that checked nothing fails')
})

test('only src/config.ts reads the environment', () => {
  const places = production.filter(({ path }) => path !== 'src/config.ts' && path !== 'src/main.ts')
  none(found(places, /\bprocess\s*\.\s*env\b|\benv\b[^\n]*from 'node:process'/), 'process.env belongs to src/config.ts')
})

test('time and randomness are injected', () => {
  const places = production.filter(({ path }) => !/^src\/platform\/(?:clock|ids)\.ts$/.test(path))
  none(
    found(places, /new Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|\brandomUUID\b|\bperformance\.now\b/),
    'the time comes from a Clock, ids and chance from Ids',
  )
})

const STATEMENT =
  /[`'"]\s*(?:--[^\n]*\n\s*)*(?:with\s+(?:recursive\s+)?\w+[^`'"]{0,80}\bas\b|select\s|insert\s+into\s|update\s+\w+\s+(?:\w+\s+)?set\b|delete\s+from\s|truncate\s+\w|(?:create|alter|drop)\s+(?:table|index|role|policy|schema|function)\b)/i

test('SQL is only in sql*.ts, migrations and the database plumbing', () => {
  const places = production.filter(
    ({ path }) => !/\/sql(?:-[a-z-]+)?\.ts$/.test(path) && !SQL_ELSEWHERE.some((pattern) => pattern.test(path)),
  )
  none(found(places, STATEMENT), 'a statement belongs into the sql.ts of its room')
})

/** Functions that the oldest PostgreSQL that Posthorn works with (15) lacks and the embedded one has. */
const NEWER_THAN_POSTGRES_15 =
  /\b(?:any_value|array_(?:reverse|sample|shuffle|sort)|casefold|date_(?:add|subtract)|json_(?:array|exists|object|query|scalar|serialize|table|value)|pg_input_is_valid|random_normal|to_(?:bin|oct)|uuidv[47]|xmltext)\(/

test('no statement, of a test or of the service, calls a function that PostgreSQL 15 lacks', () => {
  none(
    found(code, NEWER_THAN_POSTGRES_15, ({ path, text }) =>
      path === 'test/tidy.test.ts' ? '' : withoutComments(text),
    ),
    'docs/config.md promises PostgreSQL 15',
  )
})

test('each table is named in the sql.ts of one room only', () => {
  const tables = files
    .filter(({ path }) => /^migrations\/.*\.sql$/.test(path))
    .flatMap(({ text }) =>
      [...text.matchAll(/^\s*create table (?:if not exists )?(\w+)/gim)].map((match) => match[1] ?? ''),
    )
  assert.ok(tables.length > 0, 'the migrations make no table: a check that checked nothing fails')
  const owners = new Map<string, Set<string>>()
  for (const { path, text } of production) {
    const place = /^src\/modules\/([^/]+)\/sql(?:-[a-z-]+)?\.ts$/.exec(path)?.[1]
    if (place === undefined) continue
    for (const table of tables) {
      const named = new RegExp(`\\b(?:from|join|into|update|only|table)\\s+(?:posthorn\\.)?${table}\\b`, 'i')
      if (!named.test(withoutComments(text)) || FOREIGN_TABLES.includes(`${place}: ${table}`)) continue
      const rooms = owners.get(table) ?? new Set()
      owners.set(table, rooms.add(place))
    }
  }
  const shared = [...owners].filter(([, rooms]) => rooms.size > 1)
  none(
    shared.map(([table, rooms]) => `${table}: ${[...rooms].join(', ')}`),
    'a table has one owner; the others ask at its door',
  )
})

test('no default export, no enum, no namespace', () => {
  none(
    found(
      code.filter(({ path }) => !path.endsWith('.d.ts')),
      /^\s*export\s+default\b|^\s*(?:export\s+)?(?:const\s+)?enum\s+\w|^\s*(?:export\s+)?namespace\s+\w/m,
    ),
    'see CONTRIBUTING.md',
  )
})

test('no marker of unfinished work, and no focused test', () => {
  const everything = files.filter(
    ({ path }) => path !== 'test/tidy.test.ts' && /\.(?:ts|tsx|mjs|sql|sh)$|^\.ci\//.test(path),
  )
  none(
    found(everything, /\b(?:TODO|FIXME|XXX|HACK)\b/, (file) => file.text),
    'finish it, or open an issue',
  )
  none(found(everything, /\b(?:test|it|describe|suite)\.only\(|\bonly:\s*true/), 'a focused test hides the others')
})

test('a file has at most 500 lines', () => {
  const lines = (file: File): number => file.text.split('\n').length - 1
  const long = code.filter((file) => lines(file) > Math.max(MAX_LINES, LONG_FILES[file.path] ?? 0))
  none(
    long.map((file) => `${file.path}: ${lines(file)} lines`),
    `over ${MAX_LINES} lines, or longer than its exception allows`,
  )
  const stale = Object.keys(LONG_FILES).filter((path) => {
    const file = code.find((one) => one.path === path)
    return file === undefined || lines(file) <= MAX_LINES
  })
  none(stale, 'take these exceptions out of LONG_FILES')
})

test('relative imports include the file extension', () => {
  const relative = /(?:from|import\()\s*'(\.[^']*)'/g
  const breaches = code.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(relative)]
      .filter((match) => !/\.(?:ts|mjs|json)$/.test(match[1] ?? ''))
      .map((match) => `${path}: ${match[1]}`),
  )
  none(breaches, 'Node runs the files as they are')
})

test('the fault harness shares no code with the product it checks', () => {
  const seen = new Set(code.map(({ path }) => path).filter((path) => path.startsWith('test/faults/')))
  assert.ok(seen.size > 5, 'there is no harness to look at')
  const breaches: string[] = []
  for (const path of seen) {
    const text = withoutComments(code.find((file) => file.path === path)?.text ?? '')
    for (const [, name = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const target = join(path, '..', name)
      if (target.startsWith('src/')) breaches.push(`${path} imports ${target}`)
      else seen.add(target)
    }
  }
  none(breaches, 'nothing that test/faults reaches lies in src/')
})

test('ARCHITECTURE.md names only what exists', () => {
  const architecture = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const folders = [...architecture.matchAll(/`((?:[\w.-]+\/)+)`/g)].map((match) => match[1] ?? '')
  assert.ok(folders.length > 5, 'ARCHITECTURE.md names no folders')
  none(
    folders.filter((folder) => !existsSync(join(ROOT, folder))),
    'folders that ARCHITECTURE.md names and that are not there',
  )
  none(
    ROOMS.map((room) => room.name).filter((name) => !architecture.includes(`| ${name} |`)),
    'rooms that ARCHITECTURE.md leaves out',
  )
})

test('each RFC and section that the code cites is listed in docs/rfc.md', () => {
  const index = readFileSync(join(ROOT, 'docs/rfc.md'), 'utf8')
  const listed = new Set<string>()
  for (const row of index.matchAll(/^\| (\d+) \| ([^|]+) \|/gm)) {
    for (const section of (row[2] ?? '').split(',')) listed.add(`${row[1]} ${section.trim()}`)
  }
  const cited = new Set<string>()
  for (const { text } of production) {
    const prose = text.replace(/\n\s*(?:\/\/|\*|--)?\s*/g, ' ')
    for (const match of prose.matchAll(/\bRFC (\d{3,5})(?:,? (?:section|sections|appendix) ([\dA-Z]+(?:\.\d+)*))?/g)) {
      cited.add(`${match[1]} ${match[2] ?? 'all'}`)
    }
  }
  // A section counts as listed when it, a section around it, or the whole document is.
  const isListed = (citation: string): boolean => {
    const [rfc = '', section = ''] = citation.split(' ')
    if (section === 'all') return [...listed].some((one) => one.startsWith(`${rfc} `))
    const parts = section.split('.')
    return listed.has(`${rfc} all`) || parts.some((_, i) => listed.has(`${rfc} ${parts.slice(0, i + 1).join('.')}`))
  }
  none([...cited].filter((citation) => !isListed(citation)).sort(), 'add these to docs/rfc.md')
})

test('docs/rfc.md names only files that exist', () => {
  const index = readFileSync(join(ROOT, 'docs/rfc.md'), 'utf8')
  const whole = [...index.matchAll(/\b(?:src|test|bench|dashboard)\/[\w./*-]+/g)].map(([where]) => where)
  const cells = index.split('\n').flatMap((line) => line.split(' | ')[3] ?? [])
  // A bare name beside a path lies in the same folder.
  const bare = cells.flatMap((cell) => {
    let folder = ''
    return cell.split(', ').flatMap((name) => {
      if (/^[\w*-]+\.ts$/.test(name)) return join(folder, name)
      folder = join(name, '..')
      return []
    })
  })
  const named = [...whole, ...bare]
  assert.ok(named.length > 50, `${named.length} paths: a check that checked nothing fails`)
  none(
    [...new Set(named)].filter((where) => globSync(where, { cwd: ROOT }).length === 0),
    'paths that are not there',
  )
})

test('no machine-specific path and no registry is in the repository', () => {
  const outside = new RegExp(
    [
      '/wo' + 'rk/',
      '/ho' + 'me/\\w',
      '/Us' + 'ers/\\w',
      'regis' + 'try\\.npm',
      '"reso' + 'lved": *"http',
      'ya' + 'rnpkg\\.com',
    ].join('|'),
  )
  none(
    found(files, outside, (file) => file.text),
    'paths in the repository are relative, packages come from wherever npm is told to look',
  )
})

test('no merge conflict marker is left', () => {
  assert.deepEqual(found(files, /^(?:<{7}|>{7}) /m), [])
})

test('decision records are numbered in sequence, and each has its four parts', () => {
  const records = files.filter(({ path }) => /^docs\/adr\/\d{4}-[a-z0-9-]+\.md$/.test(path))
  assert.ok(records.length > 0)
  const breaches = records.flatMap(({ path, text }) =>
    ['## Context', '## Decision', '## Alternative', '## Consequence']
      .filter((part) => !text.includes(`\n${part}`))
      .map((part) => `${path} lacks ${part}`),
  )
  none(breaches, 'context, decision, alternative, consequence')
  const numbers = records.map(({ path }) => Number(path.slice('docs/adr/'.length, 'docs/adr/0000'.length)))
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    numbers.map((_, i) => i + 1),
  )
})
