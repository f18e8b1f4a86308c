// Checks the walls between rooms: dependency-cruiser with rules made from rooms.mjs. A check that read no module passes, so the
// modules it read are compared with those that exist: with a compiler it does not know, dependency-cruiser finds no
// module and reports no fault.

import { join } from 'node:path'
import { cruise, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { MAIL_MAY_SEE, ROOMS, type Room, TOOLS } from '../../rooms.mjs'

type Rule = NonNullable<IFlattenedRuleSet['forbidden']>[number]

const TEST_CODE = '\\.test\\.ts$'
const ENTRY = '^src/(?:app|main)\\.ts$'
const COMPOSITION = '^src/(?:(?:app|main)\\.ts$|composition/)'

/** Faults of the table itself: a room enters one that does not exist, or one on the same floor or above. Empty when valid. */
export function faultsOfTable(rooms: readonly Room[]): string[] {
  const floors = new Map(rooms.map((room) => [room.name, room.floor]))
  const faults: string[] = []
  if (floors.size !== rooms.length) faults.push('rooms.mjs names a room twice')
  for (const room of rooms) {
    for (const entered of room.enters) {
      const floor = floors.get(entered)
      if (floor === undefined) faults.push(`rooms.mjs: ${room.name} enters ${entered}, which is no room`)
      else if (floor >= room.floor)
        faults.push(`rooms.mjs: ${room.name} (floor ${room.floor}) enters ${entered} (floor ${floor})`)
    }
  }
  return faults
}

function rulesFrom(rooms: readonly Room[], hasMain: boolean): Rule[] {
  const rule = (name: string, comment: string, from: object, to: object): Rule =>
    ({ name, comment, severity: 'error', from, to }) as Rule
  const production = (path: string): object => ({ path, pathNot: TEST_CODE })
  const rules = [
    rule('no-cycle', 'modules must not import one another in a circle', { pathNot: TEST_CODE }, { circular: true }),
    rule('no-unresolved', 'the import leads nowhere', {}, { couldNotResolve: true }),
    rule('no-dev-package', 'the service must run without development packages', production('^src/'), {
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      dependencyTypesNot: ['type-only'],
      pathNot: 'node_modules/@types/',
    }),
    rule('test-stays-outside', 'production code must not import test code', production('^src/'), {
      path: [TEST_CODE, '^(?:test|bench|bin)/'],
    }),
    rule(
      'door',
      'a room is entered by its index.ts alone',
      { path: '^src/(?!modules/)', pathNot: TEST_CODE },
      { path: '^src/modules/[^/]+/', pathNot: '^src/modules/[^/]+/index\\.ts$' },
    ),
    rule(
      'door-between-rooms',
      'a room is entered by its index.ts alone',
      { path: '^src/modules/([^/]+)/', pathNot: TEST_CODE },
      { path: '^src/modules/[^/]+/', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/index\\.ts$'] },
    ),
    rule(
      'room-below-composition',
      'a room knows neither roles, nor the composition root, nor the settings',
      production('^src/modules/'),
      { path: ['^src/roles/', COMPOSITION, '^src/config\\.ts$'] },
    ),
    rule(
      'platform-knows-no-room',
      'plumbing knows no room, no protocol and no settings',
      production('^src/platform/'),
      {
        path: '^src/(?!platform/)',
      },
    ),
    rule('mail-is-pure', 'protocol knowledge knows no database, no account and no web', production('^src/mail/'), {
      path: '^src/(?!mail/)',
      pathNot: `^src/(?:${MAIL_MAY_SEE.map((path) => path.replaceAll('.', '\\.')).join('|')})$`,
    }),
    rule('roles-below-composition', 'roles are composed, they do not compose', production('^src/roles/'), {
      path: COMPOSITION,
    }),
    ...TOOLS.map((tool, i) =>
      rule(
        `tool-${i + 1}`,
        `${tool.name} belongs elsewhere`,
        { path: '^src/', pathNot: [...tool.files.map((pattern) => `^src/${pattern}`), TEST_CODE] },
        { path: tool.packages.map((name) => `node_modules/${name}`) },
      ),
    ),
    ...rooms.map((room) =>
      rule(
        `room-${room.name}`,
        `${room.name} may enter ${room.enters.join(', ') || 'no room'}`,
        production(`^src/modules/${room.name}/`),
        { path: '^src/modules/', pathNot: `^src/modules/(?:${[room.name, ...room.enters].join('|')})/` },
      ),
    ),
  ]
  if (hasMain) {
    rules.push({
      name: 'no-dead-module',
      comment: 'nothing but tests imports it',
      severity: 'error',
      module: {
        path: '^src/',
        pathNot: [TEST_CODE, ENTRY, '\\.d\\.ts$', THREADS],
        numberOfDependentsLessThan: 1,
      },
      from: { path: '^src/', pathNot: TEST_CODE },
    } as unknown as Rule)
  }
  return rules
}

/** Modules that a worker thread runs: they are loaded by URL, so no import shows. */
const THREADS = '-thread\\.ts$'

export interface WallsReport {
  readonly faults: readonly string[]
  /** How many modules under src/ were read. */
  readonly modules: number
}

/**
 * Reads every import under `root`/src, including type imports.
 *
 * @param expected the modules that must have been read, as paths relative to `root`; a missing one is a fault
 */
export async function checkWalls(root: string, expected: readonly string[], rooms = ROOMS): Promise<WallsReport> {
  const faults = faultsOfTable(rooms)
  const known = new Set(rooms.map((room) => room.name))
  for (const path of expected) {
    const room = /^src\/modules\/([^/]+)\//.exec(path)?.[1]
    if (room !== undefined && !known.has(room)) faults.push(`${path}: ${room} is no room of rooms.mjs`)
  }
  const tsConfigPath = join(root, 'tsconfig.json')
  const { output } = await cruise(
    ['src'],
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: rulesFrom(rooms, expected.includes('src/main.ts')) },
      tsPreCompilationDeps: true,
      tsConfig: { fileName: tsConfigPath },
      doNotFollow: { path: 'node_modules' },
      skipAnalysisNotInRules: false,
      enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default', 'types'] },
    },
    undefined,
    { tsConfig: extractTSConfig(tsConfigPath) },
  )
  if (typeof output === 'string') throw new Error('dependency-cruiser answered text where a result was asked for')
  faults.push(...violations(output))
  const read = new Set(output.modules.map((module) => module.source).filter((source) => source.startsWith('src/')))
  const unread = expected.filter((path) => !read.has(path))
  if (expected.length === 0) faults.push('there is no module to read: a check that checked nothing fails')
  if (unread.length > 0)
    faults.push(`${unread.length} of ${expected.length} modules were not read: ${unread.join(' ')}`)
  return { faults, modules: read.size }
}

function violations(result: ICruiseResult): string[] {
  const comments = new Map(result.summary.ruleSetUsed?.forbidden?.map((rule) => [rule.name, rule.comment]))
  return result.summary.violations.map(({ from, to, rule, cycle }) => {
    const route = cycle === undefined ? to : cycle.map((step) => step.name).join(' > ')
    return `${from}${from === to ? '' : ` > ${route}`}: ${comments.get(rule.name) ?? rule.name} (${rule.name})`
  })
}
