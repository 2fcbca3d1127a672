import type { StructField } from '../../schema/index.ts'
import type { Member } from '../../schema/struct.ts'
import type { StatePart } from '../../state/part.ts'
import type { InputFields } from '../definition/context.ts'

type Record = { [name: string]: unknown }

/**
 * The held input of each seat. A bundle contains only what changed. Everything else keeps its value,
 * except one-shot fields, which return to their defaults after one tick (ORD-15).
 */
export class HeldInputs {
  readonly #codec: StructField<InputFields>
  readonly #part: StatePart | undefined
  /** The records of a game without inputs: empty, and not part of the state. */
  readonly #empty: Record[] = []
  readonly #oneShots: readonly Member[]
  readonly #development: boolean

  constructor(codec: StructField<InputFields>, part: StatePart | undefined, development: boolean) {
    this.#codec = codec
    this.#part = part
    this.#oneShots = codec.members.filter(({ type }) => type.isOneShot)
    this.#development = development
  }

  /** Creates one record of defaults per seat. */
  start(seats: number): readonly object[] {
    const records = this.#records()
    records.length = 0
    for (let seat = 0; seat < seats; seat++) records.push(this.#codec.makeDefault() as Record)
    return records
  }

  /** The records after a load, which may have changed their number. */
  records(seats: number): readonly object[] {
    const records = this.#records()
    while (records.length < seats) records.push(this.#codec.makeDefault() as Record)
    records.length = seats
    return records
  }

  /** Applies the inputs of a bundle, and resets the one-shots of the previous tick. */
  advance(inputs: readonly unknown[]): void {
    const records = this.#records()
    for (let seat = 0; seat < records.length; seat++) {
      const record = records[seat] as Record
      const next = inputs[seat] as Record | undefined
      if (next === undefined) this.#letGo(record)
      else this.#takeOver(record, next, seat)
    }
  }

  /** Resets the input of a seat that lost its player. */
  release(seat: number): void {
    const records = this.#records()
    if (seat < records.length) records[seat] = this.#codec.makeDefault() as Record
  }

  #letGo(record: Record): void {
    for (const { name, type } of this.#oneShots) record[name] = type.makeDefault()
  }

  #takeOver(record: Record, next: Record, seat: number): void {
    if (this.#development) this.#codec.check(next, `inputs[${seat}]`)
    // Most controls are held as they were, and looking costs less than writing.
    for (const name of this.#codec.names) {
      const value = next[name]
      if (record[name] !== value) record[name] = value
    }
  }

  #records(): Record[] {
    if (this.#part === undefined) return this.#empty
    return (this.#part.live as { readonly seats: Record[] }).seats
  }
}
