/**
 * The section of a snapshot that says of which match it is: seats, seed and options. They are no part
 * of the state, and yet decide how it goes on. Without this, a snapshot that is loaded into a match with
 * other options has the right hash, and parts from everybody a few ticks later.
 */
import { WireError } from '../../../base/errors.ts'
import { seatsMax, seedLengthMax } from '../../limits.ts'
import type { AnyField } from '../../schema/field.ts'
import type { StructField } from '../../schema/index.ts'
import { bytes, decodeRecord, encodeRecord, range, struct, text } from '../../schema/index.ts'
import type { Section, SectionWriter } from '../../snapshot/section.ts'
import type { GameOptions, GameShape, InputFields } from '../definition/context.ts'
import type { Game } from '../definition/define-game.ts'
import type { Simulation } from '../run/simulation.ts'

/** What decides how a match goes on besides its state and its bundles. */
export type MatchTerms<G extends GameShape> = Pick<
  Simulation<G>,
  'game' | 'seats' | 'options' | 'seed'
>

/** The match of a snapshot, in the form that `createSimulation` takes. */
export interface SnapshotMatch<G extends GameShape> {
  readonly seats: number
  readonly seed: string
  readonly options: GameOptions<G>
}

/** Parts of a game cannot have such a name. */
const sectionName = '#match'

/** As a JSON string: a unit of UTF-16 that is no text by itself is written in six letters. */
const seedBytesMax = 6 * seedLengthMax + 2

/** More than the options of any match that a relay makes. */
const optionsBytesMax = 0xffff

const terms = struct({
  seats: range(1, seatsMax),
  seed: text(seedBytesMax),
  options: bytes(optionsBytesMax),
})

/** The section of each match that was saved: it never changes, and some are saved every second. */
const encoded = new WeakMap<object, Uint8Array>()

/** Appends the section. */
export function saveTerms<G extends GameShape>(out: SectionWriter, match: MatchTerms<G>): void {
  let content = encoded.get(match)
  if (content === undefined) {
    const { game, seats, seed, options } = match
    const optionBytes = encodeRecord(game.optionsCodec as StructField<object>, options)
    content = encodeRecord(terms, { seats, seed: seedText(seed), options: optionBytes })
    encoded.set(match, content)
  }
  out.bytes(sectionName, content)
}

/**
 * The section of a snapshot, or `undefined` in a file of before there was one.
 *
 * @throws WireError when it is damaged.
 */
export function readTerms<G extends GameShape>(
  sections: readonly Section[],
  fileVersion: number,
  game: Game<G>,
): SnapshotMatch<G> | undefined {
  const section = sections.find(({ name }) => name === sectionName)
  if (section === undefined) return undefined
  if (section.kind !== 'bytes') differ(['form'])
  const { seats, seed, options } = decodeRecord(terms, section.content)
  const codec = (game.optionsCodec as StructField<object>).atVersion(fileVersion)
  return { seats, seed: readSeed(seed), options: decodeRecord(codec, options) as GameOptions<G> }
}

/**
 * Compares the section with the match that a snapshot is loaded into, and gives the other sections.
 * Files of before there was one are bound to nothing.
 *
 * @throws WireError `SS_WIRE_MISMATCH` that names everything that differs.
 */
export function checkTerms<G extends GameShape>(
  sections: readonly Section[],
  fileVersion: number,
  { game, seats, seed, options }: MatchTerms<G>,
): readonly Section[] {
  const saved = readTerms(sections, fileVersion, game)
  if (saved === undefined) return sections
  const faults: string[] = []
  if (saved.seats !== seats) faults.push(`seats are ${saved.seats}, not ${seats}`)
  const [theirSeed, ownSeed] = [seedText(saved.seed), seedText(seed)]
  if (theirSeed !== ownSeed) faults.push(`seed is ${theirSeed}, not ${ownSeed}`)
  const codec = game.optionsCodec as StructField<InputFields>
  const theirs = saved.options as Options
  for (const name of codec.names) {
    const field = codec.fields[name] as AnyField
    const ours = (options as Options)[name]
    if (field.equals(theirs[name], ours)) continue
    const [is, wanted] = [theirs[name], ours].map((value) => JSON.stringify(field.toJson(value)))
    faults.push(`option '${name}' is ${is}, not ${wanted}`)
  }
  if (faults.length > 0) differ(faults)
  return sections.filter(({ name }) => name !== sectionName)
}

/** A number means its digits, as everywhere. */
function seedText(seed: number | string): string {
  return JSON.stringify(String(seed))
}

function readSeed(text: string): string {
  try {
    const seed: unknown = JSON.parse(text)
    if (typeof seed === 'string' && seedText(seed) === text) return seed
  } catch {
    // No text in JSON: told below.
  }
  return differ(['seed is not readable'])
}

type Options = { readonly [name: string]: unknown }

function differ(faults: readonly string[]): never {
  throw new WireError(
    'SS_WIRE_MISMATCH',
    0,
    `Cannot load a snapshot of another match: its ${faults.join('; its ')}`,
  )
}
