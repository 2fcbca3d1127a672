import { UsageError } from '../../base/errors.ts'
import type { AnyField } from '../../sim/schema/field.ts'
import type { Member } from '../../sim/schema/struct.ts'
import { inputsPerTurnMax } from '../../wire/limits.ts'
import type { InputMapping } from '../../wire/ticks/input-layout.ts'
import type { SlotDelta } from '../../wire/ticks/slot-delta.ts'

/** Ticks of own inputs kept for repeating; a power of two above what a turn can carry. */
export const ringTicks = 256

/** @throws UsageError `SS_BAD_VALUE` for unknown fields and for values that do not fit. */
export function checkInputs(
  fields: { readonly [name: string]: AnyField },
  changes: { readonly [name: string]: unknown },
): void {
  for (const [name, value] of Object.entries(changes)) {
    const field: AnyField | undefined = fields[name]
    if (field === undefined) {
      const known = Object.keys(fields).join(', ') || 'none'
      throw new UsageError('SS_BAD_VALUE', `Cannot hold '${name}': the input fields are ${known}`)
    }
    const known: AnyField = field
    known.check(value, `input.${name}`)
  }
}

/**
 * The controls that the player holds, sampled once per tick. The sample of a tick never changes, so
 * that repeated packets agree.
 */
export class InputOutbox {
  readonly #mapping: InputMapping
  readonly #delta: SlotDelta
  readonly #fields: { readonly [name: string]: AnyField }
  readonly #oneShots: readonly Member[]
  readonly #held: { [name: string]: unknown }
  readonly #ring: Uint32Array
  /** Views of it that were given out, by place. */
  readonly #views: (Uint32Array | undefined)[] = []
  /** The newest tick that was sampled. */
  #lastTick = 0
  /** The oldest tick that is kept. */
  #firstTick = 1

  constructor(
    fields: { readonly [name: string]: AnyField },
    mapping: InputMapping,
    delta: SlotDelta,
  ) {
    this.#fields = fields
    this.#mapping = mapping
    this.#delta = delta
    this.#oneShots = Object.entries(fields).flatMap(([name, type]) =>
      type.isOneShot ? [{ name, type }] : [],
    )
    this.#held = {}
    for (const [name, field] of Object.entries(fields)) this.#held[name] = field.makeDefault()
    this.#ring = new Uint32Array(ringTicks * delta.slotCount)
  }

  /** The newest tick for which an input was made. */
  get inputTick(): number {
    return this.#lastTick
  }

  /** The held controls, by field. */
  get held(): { readonly [name: string]: unknown } {
    return this.#held
  }

  /** Changes the held controls. Fields not named keep their values. */
  hold(changes: { readonly [name: string]: unknown }): void {
    checkInputs(this.#fields, changes)
    Object.assign(this.#held, changes)
  }

  /**
   * Samples the held controls for every tick up to this one. If there are several, ticks came late or
   * the delay grew. The earlier ones may be sealed already, so one-shots go into the last one.
   */
  sampleUpTo(tick: number): void {
    if (tick <= this.#lastTick) return
    if (tick - this.#lastTick > ringTicks) this.#lastTick = tick - ringTicks
    if (this.#lastTick < tick - 1) this.#fillUpTo(tick - 1)
    this.#sample()
    this.#letGoOneShots()
    this.#firstTick = Math.max(this.#firstTick, this.#lastTick - inputsPerTurnMax + 1)
  }

  /** The slots sampled for one of the newest ticks, as a view: copy it to keep it. */
  slotsAt(tick: number): Uint32Array {
    const place = tick % ringTicks
    const at = place * this.#delta.slotCount
    this.#views[place] ??= this.#ring.subarray(at, at + this.#delta.slotCount)
    return this.#views[place]
  }

  /** Forgets inputs of ticks that are sealed: sending them again would change nothing. */
  dropUpTo(tick: number): void {
    if (tick >= this.#firstTick) this.#firstTick = Math.min(tick, this.#lastTick) + 1
  }

  /** Copies the inputs to send into `out`, and returns the tick of the first and their number. */
  take(isRepeating: boolean, sentTick: number, out: Uint32Array): { first: number; count: number } {
    const first = isRepeating ? this.#firstTick : Math.max(this.#firstTick, sentTick + 1)
    const count = Math.max(this.#lastTick - first + 1, 0)
    const { slotCount } = this.#delta
    for (let index = 0; index < count; index++) {
      const from = ((first + index) % ringTicks) * slotCount
      for (let slot = 0; slot < slotCount; slot++) {
        out[index * slotCount + slot] = this.#ring[from + slot] as number
      }
    }
    return { first, count }
  }

  #fillUpTo(tick: number): void {
    const shots = this.#oneShots.map(({ name }) => [name, this.#held[name]] as const)
    this.#letGoOneShots()
    while (this.#lastTick < tick) this.#sample()
    for (const [name, value] of shots) this.#held[name] = value
  }

  #sample(): void {
    this.#lastTick += 1
    const at = (this.#lastTick % ringTicks) * this.#delta.slotCount
    this.#mapping.toSlots(this.#held, this.#ring, at)
  }

  #letGoOneShots(): void {
    for (const { name, type } of this.#oneShots) this.#held[name] = type.makeDefault()
  }
}
