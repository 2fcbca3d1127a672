/**
 * What a tick leaves running: promises, microtasks and timers. A check plays its ticks one after the
 * other and gives none of them a chance, so this one lets time pass after every tick, as a page does,
 * and looks whether the state is still what the tick left.
 */

import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { createTrace } from '../../sim/trace/trace.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import { findCause, noEvidence } from '../causes/causes.ts'
import { writingSite, writtenPlace } from '../causes/first-write.ts'
import type { CheckOptions } from '../check-options.ts'
import { settle } from '../check-options.ts'
import type { CheckFailure } from '../failure-text.ts'
import { failureText } from '../failure-text.ts'
import type { Copy } from '../lanes/copy.ts'
import { isUntouched } from '../lanes/copy.ts'
import { LaneWorld } from '../lanes/lane-world.ts'
import { HastyTimers } from '../machine/hasty-timers.ts'
import { Explorer } from '../scripts/explorer.ts'
import { makeReproduction } from '../scripts/reproduction.ts'
import type { Script, ScriptItem } from '../scripts/script.ts'
import { bundleOf, ScriptReader } from '../scripts/script.ts'

/** Long enough for every order to come, short enough to be waited for. */
const asyncTicks = 300

type Found = {
  readonly tick: number
  readonly place: ReturnType<typeof writtenPlace>
  readonly items: readonly ScriptItem[]
}

/**
 * Plays a match with time between its ticks; returns a failure if something was written in between.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for invalid options.
 */
export async function checkAsync<G extends GameShape, R>(
  given: Game<G, R>,
  options: CheckOptions & { readonly script?: Script } = {},
): Promise<CheckFailure | undefined> {
  const game = given as unknown as Game
  const { seats, seed, explore, resolve } = settle(game, options)
  const ticks = options.script?.ticks ?? Math.min(options.ticks ?? asyncTicks, asyncTicks)
  const match = options.script ?? {
    seed,
    seats,
    options: { ...game.optionsCodec.makeDefault(), ...options.options },
  }
  const world = new LaneWorld(game, match, { resolve, onBeat: options.onBeat })
  const explorer = new Explorer(game, seats, seed, explore)
  const reader = options.script === undefined ? undefined : new ScriptReader(options.script.items)
  const next = (tick: number, copy: Copy): readonly ScriptItem[] =>
    reader?.at(tick) ?? explorer.next(tick, copy.simulation)
  const found = await play(world, ticks, next)
  if (found === undefined) return undefined
  const script: Script = { ...match, ticks: found.tick, items: found.items }
  return explain(game, world, script, found)
}

/** Plays ticks, and lets time pass after each. */
async function play(
  world: LaneWorld,
  ticks: number,
  next: (tick: number, copy: Copy) => readonly ScriptItem[],
): Promise<Found | undefined> {
  const timers = new HastyTimers()
  const copy = world.make('original', world.base)
  const items: ScriptItem[] = []
  for (let tick = 1; tick <= ticks; tick++) {
    const now = next(tick, copy)
    items.push(...now)
    world.options.onBeat?.(tick)
    timers.run(() => world.base.run(tick, () => copy.simulation.step(bundleOf(tick, now))))
    const before = copy.simulation
    await timers.pass()
    if (isUntouched(before)) continue
    const reference = world.make('reference', world.base)
    const reader = new ScriptReader(items)
    for (let at = 1; at <= tick; at++) {
      world.base.run(at, () => reference.simulation.step(bundleOf(at, reader.at(at))))
    }
    const [first] = diffStates(reference.simulation, before)
    const place =
      first === undefined
        ? undefined
        : { ...first, values: [String(first.mine), String(first.theirs)] as const }
    return { tick, place, items }
  }
  return undefined
}

/** The first write from outside of the tick, found by playing it again with every write recorded. */
async function findWrite(world: LaneWorld, script: Script): Promise<TraceEntry | undefined> {
  const { resolve } = world.options
  const trace = createTrace(resolve === undefined ? {} : { resolve })
  const timers = new HastyTimers()
  const copy = world.make('original', world.base, { trace })
  const reader = new ScriptReader(script.items)
  for (let tick = 1; tick <= script.ticks; tick++) {
    if (tick === script.ticks) trace.restart()
    const bundle = bundleOf(tick, reader.at(tick))
    timers.run(() => world.base.run(tick, () => copy.simulation.step(bundle)))
    await timers.pass()
  }
  return trace.entries().find(({ where }) => where === 'outside')
}

async function explain(
  game: Game,
  world: LaneWorld,
  script: Script,
  found: Found,
): Promise<CheckFailure> {
  const write = await findWrite(world, script)
  const first = write === undefined ? undefined : { a: undefined, b: write }
  const failure = {
    check: 'async' as const,
    tick: found.tick,
    foundAtTick: found.tick,
    system: undefined,
    place: writtenPlace(first) ?? found.place,
    sides: ['when the tick was over', 'a moment later'] as const,
    site: writingSite(first),
    siteKind: 'fault' as const,
    effect: undefined,
    use: undefined,
    variables: [],
    error: undefined,
    cause: findCause({ ...noEvidence, check: 'async' }),
    detail: 'promises, microtasks and timers had a chance to run after the tick',
    reproduction: makeReproduction(game, script, 'async', 'original'),
    isReproduced: write !== undefined,
  }
  return { ...failure, text: failureText(failure) }
}
