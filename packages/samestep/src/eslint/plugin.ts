import type { ESLint, Linter, Rule } from 'eslint'
import { noAmbientRandom } from './rules/no-ambient-random.ts'
import { noAmbientTime } from './rules/no-ambient-time.ts'
import { noAsync } from './rules/no-async.ts'
import { noFloatInFixed } from './rules/no-float-in-fixed.ts'
import { noForIn } from './rules/no-for-in.ts'
import { noInexactMath } from './rules/no-inexact-math.ts'
import { noLocale } from './rules/no-locale.ts'
import { noMachine } from './rules/no-machine.ts'
import { noModuleState } from './rules/no-module-state.ts'
import { noObjectOrder } from './rules/no-object-order.ts'
import { sortComparator } from './rules/sort-comparator.ts'

/** Name and version of the plugin. A new version makes ESLint drop its cache when the rules change. */
export const meta = { name: 'samestep', version: '0.1.0' } as const

/** All rules by name; in a configuration, put `samestep/` before the name. */
export const rules = {
  'no-ambient-random': noAmbientRandom,
  'no-ambient-time': noAmbientTime,
  'no-async': noAsync,
  'no-float-in-fixed': noFloatInFixed,
  'no-for-in': noForIn,
  'no-inexact-math': noInexactMath,
  'no-locale': noLocale,
  'no-machine': noMachine,
  'no-module-state': noModuleState,
  'no-object-order': noObjectOrder,
  'sort-comparator': sortComparator,
} satisfies { readonly [name: string]: Rule.RuleModule }

/** The plugin, for configurations that choose rules themselves: `plugins: { samestep: plugin }`. */
export const plugin: ESLint.Plugin = { meta, rules }

const scripts = '{js,mjs,cjs,jsx,ts,mts,cts,tsx}'

/** Files that hold nothing but simulation code, by the names that we propose. */
const simulationFiles = [`**/*.game.${scripts}`, `**/sim/**/*.${scripts}`]

/** Tests run the simulation from outside: they may wait, and they plant faults. */
const testFiles = [`**/*.{test,spec}.${scripts}`, '**/{test,tests,testing,__tests__}/**']

function everyRule(where: 'file' | 'game'): Linter.RulesRecord {
  return Object.fromEntries(
    Object.keys(rules).map((name) => [`samestep/${name}`, ['error', { where }]]),
  )
}

/** Every rule, for all of the files `*.game.ts` and those in folders named `sim`. */
const simulation = {
  name: 'samestep/simulation',
  files: simulationFiles,
  ignores: testFiles,
  plugins: { samestep: plugin },
  rules: everyRule('file'),
} satisfies Linter.Config

/** Every rule, for what runs inside `defineGame({ … })` in any other file. */
const game = {
  name: 'samestep/game',
  files: [`**/*.${scripts}`],
  ignores: [...simulationFiles, ...testFiles],
  plugins: { samestep: plugin },
  rules: everyRule('game'),
} satisfies Linter.Config

/**
 * Configurations that are ready to use. `recommended` combines the other two: files of the simulation are
 * checked completely, games among other code only inside `defineGame`. Spread one to give it other `files`.
 */
export const configs: {
  readonly recommended: Linter.Config[]
  readonly simulation: Linter.Config
  readonly game: Linter.Config
} = { recommended: [simulation, game], simulation, game }
