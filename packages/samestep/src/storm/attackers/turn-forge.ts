import { BitWriter } from '../../base/bit-writer.ts'
import type { MatchConfig } from '../../wire/messages/messages.ts'
import { writeClientTurn } from '../../wire/ticks/client-turn.ts'
import type { InputSlot } from '../../wire/ticks/input-layout.ts'
import { SlotDelta } from '../../wire/ticks/slot-delta.ts'
import type { TurnHash } from '../../wire/ticks/turn-hash.ts'

/** What a turn that no client made says. What is left out says nothing. */
export interface ForgedTurn {
  /** The last tick that there is an input for, and for how many up to it. */
  readonly lastTick?: number
  readonly inputCount?: number
  readonly orders?: readonly Uint8Array[]
  readonly received?: number
  readonly hash?: TurnHash
  /** The value of a slot; the one that it has at the beginning when left out. */
  readonly valueFor?: (slot: InputSlot) => number
}

/** Writes turns by hand. They are as valid as what they are told to say. */
export class TurnForge {
  readonly #config: MatchConfig
  readonly #writer = new BitWriter()
  /** The number of the next order. Whoever sends orders that should count adds them. */
  orderNumber = 0

  constructor(config: MatchConfig) {
    this.#config = config
  }

  make(turn: ForgedTurn): Uint8Array {
    const { lastTick = 0, inputCount = 0, orders = [], received = 0, hash } = turn
    const { valueFor = ({ initial }) => initial } = turn
    const delta = new SlotDelta(this.#config.inputSlots)
    const { layout } = delta
    const inputs = Uint32Array.from({ length: Math.max(inputCount, 1) * layout.length }, (_, at) =>
      valueFor(layout[at % layout.length] as InputSlot),
    )
    this.#writer.reset()
    writeClientTurn(this.#writer, delta, {
      received,
      controlSeen: 0,
      report: undefined,
      heldMs: 0,
      hash,
      firstInputTick: Math.max(lastTick - inputCount + 1, 1),
      inputs,
      inputCount: delta.slotCount === 0 ? 0 : inputCount,
      firstOrderNumber: this.orderNumber,
      orders: [...orders],
    })
    return this.#writer.finish()
  }

  /** A turn with orders that count. */
  makeWithOrders(orders: readonly Uint8Array[]): Uint8Array {
    const bytes = this.make({ orders })
    this.orderNumber += orders.length
    return bytes
  }
}
