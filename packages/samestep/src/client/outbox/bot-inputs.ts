import type { AnyField } from '../../sim/schema/field.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import { checkInputs } from './input-outbox.ts'

type Held = {
  /** Counts the runners of the seat: ours is a turn of it. */
  turn: number
  readonly record: { [name: string]: unknown }
  /** What the relay was told over this link, without shots; `undefined` when it has to be told anew. */
  told: Uint32Array | undefined
  /** Whether anything was ever held. */
  isSet: boolean
}

/**
 * What bots that think here hold. The relay is told when it changes, and seals it into every tick until
 * it does again.
 */
export class BotInputs {
  readonly #fields: { readonly [name: string]: AnyField }
  readonly #mapping: InputMapping
  readonly #bots = new Map<number, Held>()

  constructor(fields: { readonly [name: string]: AnyField }) {
    this.#fields = fields
    this.#mapping = new InputMapping(fields)
  }

  /**
   * The relay says whether a bot thinks here. Over a new link it is told anew what the bot holds; in
   * another turn of ours, after one of somebody else, the bot holds nothing yet.
   */
  assign(seat: number, turn: number, isHere: boolean): void {
    const known = this.#bots.get(seat)
    if (!isHere) {
      this.#bots.delete(seat)
    } else if (known?.turn !== turn) {
      this.#bots.set(seat, { turn, record: this.#initial(), told: undefined, isSet: false })
    } else known.told = undefined
  }

  /**
   * Changes what a bot holds. False when it does not think here.
   *
   * @throws UsageError `SS_BAD_VALUE` for what no input of the game can hold.
   */
  hold(seat: number, changes: { readonly [name: string]: unknown }): boolean {
    checkInputs(this.#fields, changes)
    const bot = this.#bots.get(seat)
    if (bot === undefined) return false
    Object.assign(bot.record, changes)
    bot.isSet = true
    return true
  }

  /** The match is called off: bots of the next one hold nothing. */
  forgetAll(): void {
    for (const [seat, { turn }] of [...this.#bots]) {
      this.#bots.delete(seat)
      this.assign(seat, turn, true)
    }
  }

  /** The next message to send, or `undefined`. */
  take(): MessageBody<'ClientBotInput'> | undefined {
    for (const [seat, bot] of this.#bots) {
      if (!bot.isSet) continue
      const slots = this.#slotsOf(bot.record)
      if (bot.told?.every((value, index) => value === slots[index]) === true) continue
      // What happens once is said once.
      for (const [name, field] of Object.entries(this.#fields)) {
        if (field.isOneShot) bot.record[name] = field.makeDefault()
      }
      bot.told = this.#slotsOf(bot.record)
      return { seat, turn: bot.turn, slots: [...slots] }
    }
    return undefined
  }

  #initial(): { [name: string]: unknown } {
    const fields = Object.entries(this.#fields)
    return Object.fromEntries(fields.map(([name, field]) => [name, field.makeDefault()]))
  }

  #slotsOf(record: { [name: string]: unknown }): Uint32Array {
    const slots = new Uint32Array(this.#mapping.layout.length)
    this.#mapping.toSlots(record, slots, 0)
    return slots
  }
}
