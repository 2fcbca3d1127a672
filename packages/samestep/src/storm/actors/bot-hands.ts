import type { Prng } from '../../base/prng.ts'
import type { Client } from '../../client/client.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import type { BotInputBook } from '../checks/bot-input-book.ts'
import type { World } from '../engine/world.ts'

/** What bots of one client do with their hands: now and then they hold something else. */
export class BotHands {
  readonly #random: Prng
  readonly #client: Client
  readonly #game: Game
  readonly #mapping: InputMapping
  /** What each holds, by seat: written down apart from the client. */
  readonly #held = new Map<number, { [name: string]: unknown }>()

  constructor(world: World, name: string, game: Game, client: Client) {
    this.#random = world.random(`bots/${name}`)
    this.#game = game
    this.#client = client
    this.#mapping = new InputMapping(game.inputCodec.fields)
  }

  /** The bot moved away: what it held here is forgotten. */
  forget(seat: number): void {
    this.#held.delete(seat)
  }

  /** One of the bots that think here holds something else, perhaps. */
  move(book: BotInputBook): void {
    const random = this.#random
    const { names, fields } = this.#game.inputCodec
    const { botSeats } = this.#client
    if (names.length === 0 || botSeats.length === 0) return
    const seat = random.pick(botSeats)
    const name = random.pick(names)
    const field = fields[name]
    if (field === undefined) return
    const changes = { [name]: field.sample(random, () => 0) }
    if (!this.#client.setInputAs(seat, changes as never)) return
    const held = { ...(this.#held.get(seat) ?? this.#game.inputCodec.makeDefault()), ...changes }
    const slots = new Uint32Array(this.#mapping.layout.length)
    this.#mapping.toSlots(held, slots, 0)
    book.noteHeld(seat, slots)
    // A shot is one, however long the rest is held.
    for (const [each, other] of Object.entries(fields)) {
      if (other.isOneShot) Object.assign(held, { [each]: other.makeDefault() })
    }
    this.#held.set(seat, held)
  }
}
