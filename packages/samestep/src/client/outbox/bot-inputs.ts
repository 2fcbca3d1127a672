import type { AnyField } from '../../sim/schema/field.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import { checkInputs } from './input-outbox.ts'

type Held = {
  /** Counts how often the bot was assigned to a runner; identifies our assignment. */
  turn: number
  readonly record: { [name: string]: unknown }
  /** The input last sent over this link, without one-shots; `undefined` if it must be sent. */
  told: Uint32Array | undefined
  /** Whether the bot's input was ever set. */
  isSet: boolean
}

/**
 * The held inputs of the bots that run here. A change is sent to the relay, which seals the input into
 * every tick until the next change.
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
   * The relay says whether a bot runs here. Over a new link, its input is sent again. If another client
   * ran the bot in between, its input starts from the defaults.
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
   * Changes a bot's input. Returns false if the bot does not run here.
   *
   * @throws UsageError `SS_BAD_VALUE` for values that do not fit the game's input.
   */
  hold(seat: number, changes: { readonly [name: string]: unknown }): boolean {
    checkInputs(this.#fields, changes)
    const bot = this.#bots.get(seat)
    if (bot === undefined) return false
    Object.assign(bot.record, changes)
    bot.isSet = true
    return true
  }

  /** The launch was cancelled: in the next match, bots start with default inputs. */
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
      // One-shots are sent only once.
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
