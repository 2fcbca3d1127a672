import { BitReader } from '../../base/bit-reader.ts'
import { WireError } from '../../base/errors.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Bundle, SealedOrder, SystemEvent, WrongInput } from '../../sim/game/run/bundle.ts'
import type { TickReport } from '../../sim/game/run/report.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import { speedPercentMax, speedPercentMin } from '../../wire/limits.ts'
import type { BundleOrder, DecodedBundle } from '../../wire/ticks/bundle-codec.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'
import type { InputMapping } from '../../wire/ticks/input-layout.ts'

/** A tick that ran: its report, and its orders in the same sequence as the report's outcomes. */
export interface RanTick {
  readonly report: TickReport
  readonly orders: readonly (SealedOrder & { readonly id: number })[]
  /** 1 for each seat whose input was missing, so that the relay decided it. */
  readonly missing: Uint8Array
  readonly events: readonly SystemEvent[]
  /** The error thrown after the tick was complete, usually by a guard; `undefined` if none was. */
  readonly problem: unknown
}

const noOrders: RanTick['orders'] = Object.freeze([])
const noWrongInputs: readonly WrongInput[] = Object.freeze([])

function toSealedOrder({ seat, number, bytes }: BundleOrder): RanTick['orders'][number] {
  return { seat, id: number, bytes }
}

/** The ten bits of a speed can also hold values that no match may have. */
function checkEvent(event: SystemEvent): void {
  if (event.type !== 'speed') return
  const { percent } = event
  if (percent >= speedPercentMin && percent <= speedPercentMax) return
  throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, `Cannot play at ${percent} %`)
}

/** Runs sealed bundles through a simulation, one after the other. */
export class TickRunner<G extends GameShape, R> {
  readonly simulation: Simulation<G, R>
  readonly codec: BundleCodec
  readonly #mapping: InputMapping
  readonly #reader = new BitReader()
  readonly #slots: Uint32Array
  readonly #missing: Uint8Array
  readonly #records: { [name: string]: unknown }[]
  /** The slots that the records were made from, once they were. */
  readonly #readSlots: Uint32Array
  #isRead = false

  constructor(simulation: Simulation<G, R>, mapping: InputMapping) {
    this.simulation = simulation
    this.#mapping = mapping
    this.codec = new BundleCodec(simulation.seats, mapping.layout)
    const { slotTotal, delta } = this.codec
    this.#slots = new Uint32Array(slotTotal)
    this.#readSlots = new Uint32Array(slotTotal)
    for (let seat = 0; seat < simulation.seats; seat++) {
      delta.writeInitial(this.#slots, seat * delta.slotCount)
    }
    this.#missing = new Uint8Array(simulation.seats)
    this.#records = Array.from({ length: simulation.seats }, () => ({}))
  }

  /** The slots of every seat's last sealed input: the baseline of the next bundle. */
  get slots(): Uint32Array {
    return this.#slots
  }

  /** @throws WireError if the bytes are not a bundle of this match. */
  run(bytes: Uint8Array): RanTick {
    const reader = this.#reader
    reader.reset(bytes)
    const content = this.codec.decode(reader, this.#slots, this.#missing)
    reader.end()
    this.#readRecords()
    content.events.forEach(checkEvent)
    const orders = content.orders.length === 0 ? noOrders : content.orders.map(toSealedOrder)
    const bundle: Bundle = {
      tick: this.simulation.matchTick + 1,
      events: content.events,
      inputs: this.#records,
      orders,
      wrongInputs: this.#nameWrong(content.wrongSlots),
    }
    const problem = this.#step(bundle)
    const { report } = this.simulation
    return { report, orders, missing: this.#missing, events: content.events, problem }
  }

  /** A guard throws after the tick is complete. Its error is returned, to settle the tick first. */
  #step(bundle: Bundle): unknown {
    try {
      this.simulation.step(bundle as Parameters<Simulation<G, R>['step']>[0])
      return undefined
    } catch (error) {
      if (this.simulation.matchTick === bundle.tick) return error
      throw error
    }
  }

  #nameWrong(slots: DecodedBundle['wrongSlots']): readonly WrongInput[] {
    if (slots.length === 0) return noWrongInputs
    return slots.flatMap(({ seat, mask }) =>
      this.#mapping.fieldsOf(mask).map((field) => ({ seat, field })),
    )
  }

  #readRecords(): void {
    const { slotCount } = this.codec.delta
    if (slotCount === 0) return
    for (let seat = 0; seat < this.#records.length; seat++) {
      const at = seat * slotCount
      if (!this.#isNews(at, at + slotCount)) continue
      this.#mapping.fromSlots(this.#slots, at, this.#records[seat] as { [name: string]: unknown })
    }
    this.#isRead = true
  }

  /** Whether these slots differ from what was read last: most seats hold what they held. */
  #isNews(start: number, end: number): boolean {
    const slots = this.#slots
    const read = this.#readSlots
    let isNews = !this.#isRead
    for (let at = start; at < end; at++) {
      if (read[at] === slots[at]) continue
      read[at] = slots[at] as number
      isNews = true
    }
    return isNews
  }
}
