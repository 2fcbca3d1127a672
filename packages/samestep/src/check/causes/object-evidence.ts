/** What the game's own objects tell about a finding: shared objects, changed options, kept memory. */

import { deepDiff } from '../../base/deep-diff.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { Copy } from '../lanes/copy.ts'
import type { Finding } from '../lanes/lane.ts'
import type { Script } from '../scripts/script.ts'
import type { Evidence } from './causes.ts'

/** The part of the evidence that is read from objects. */
export function evidenceOf(
  game: Game,
  script: Script,
  finding: Finding,
): Pick<Evidence, 'alias' | 'areOptionsChanged' | 'isLeftover' | 'memory'> {
  const copies = finding.sides?.map(({ copy }) => copy) ?? []
  return {
    alias: copies[0] === undefined ? undefined : findAlias(copies[0]),
    areOptionsChanged:
      copies.some((copy) => areOptionsChanged(game, script, copy)) ||
      isFrozenOption(script, finding.error),
    isLeftover: isLeftover(game, finding),
    memory: finding.memory,
  }
}

/** Two ways to one object of a plain part. A save writes it twice, and a load makes two of it. */
function findAlias({ simulation }: Copy): readonly [string, string] | undefined {
  for (const { name, kind, live } of simulation.parts.parts) {
    if (kind !== 'plain' || name.startsWith('#')) continue
    const found = findShared(live, name, new Map())
    if (found !== undefined) return found
  }
  return undefined
}

/** Deeper than any state should be, and a bound for those that go round in circles. */
const objectsMax = 20_000

function findShared(
  value: unknown,
  path: string,
  seen: Map<object, string>,
): readonly [string, string] | undefined {
  if (typeof value !== 'object' || value === null || seen.size > objectsMax) return undefined
  const known = seen.get(value)
  if (known !== undefined) return [known, path]
  seen.set(value, path)
  if (ArrayBuffer.isView(value)) return undefined
  for (const [key, child] of childrenOf(value)) {
    const found = findShared(child, `${path}${key}`, seen)
    if (found !== undefined) return found
  }
  return undefined
}

function childrenOf(value: object): readonly (readonly [string, unknown])[] {
  if (value instanceof Map) return [...value].map(([key, child]) => [`.get(${String(key)})`, child])
  if (value instanceof Set) return [...value].map((child, index) => [`.member(${index})`, child])
  if (Array.isArray(value)) return Array.from(value, (child, index) => [`[${index}]`, child])
  return Object.entries(value).map(([key, child]) => [`.${key}`, child])
}

function areOptionsChanged(game: Game, script: Script, { simulation }: Copy): boolean {
  const { optionsCodec } = game
  try {
    const given = optionsCodec.toJson({ ...optionsCodec.makeDefault(), ...script.options })
    return (
      JSON.stringify(optionsCodec.toJson(simulation.options as never)) !== JSON.stringify(given)
    )
  } catch {
    // Changed to something that does not even fit.
    return true
  }
}

/** What engines say when something is written that is frozen, and its name. */
const frozenText = /read[- ]only property '?([^' ]+)'?|add property '?([^' ,]+)'?|not extensible/

/** Whether the game was stopped when it wrote to one of the match's options, which are frozen. */
function isFrozenOption({ options }: Script, error: unknown): boolean {
  if (!(error instanceof TypeError)) return false
  const found = frozenText.exec(error.message)
  const name = found?.[1] ?? found?.[2]
  if (name === undefined) return false
  return /^\d+$/.test(name)
    ? Object.values(options).some(Array.isArray)
    : JSON.stringify(options).includes(`${JSON.stringify(name)}:`)
}

/** Whether derived data that is computed every tick kept something of the tick before. */
function isLeftover(game: Game, { check, place, sides }: Finding): boolean {
  const declarations = Object.entries(game.definition.derived ?? {}).filter(
    ([, { refresh }]) => refresh !== 'load',
  )
  const name = /^derived '(.*)'$/.exec(place ?? '')?.[1]
  if (check === 'derived') return declarations.some(([each]) => each === name)
  const copy = sides?.[0].copy
  if (copy === undefined) return false
  return declarations.some(([each, { recompute }]) => {
    const last = (copy.context.derived as { readonly [name: string]: unknown })[each]
    const { state } = copy.simulation
    try {
      const anew = recompute(state, undefined)
      return deepDiff(recompute(state, last), anew).length > 0
    } catch {
      return false
    }
  })
}
