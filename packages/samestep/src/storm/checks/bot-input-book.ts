import type { MatchConfig } from '../../wire/messages/messages.ts'
import type { World } from '../engine/world.ts'

type Book = {
  /** What the bot was told to hold, in sequence, from what was last sealed on. */
  held: Uint32Array[]
  sealed: Uint32Array
}

/**
 * A bot holds what it was told to hold, in sequence, and fires each shot once at the most (I-06, ORD-18).
 * Of several changes between two ticks the newest counts, with the shots of all.
 */
export class BotInputBook {
  readonly #world: World
  readonly #books = new Map<number, Book>()
  #config: MatchConfig | undefined

  constructor(world: World) {
    this.#world = world
  }

  noteStarted(config: MatchConfig): void {
    this.#config = config
    this.#books.clear()
  }

  noteHeld(seat: number, slots: Uint32Array): void {
    const initial = Uint32Array.from(this.#layout, (slot) => slot.initial)
    const book = this.#books.get(seat) ?? { held: [], sealed: initial }
    this.#books.set(seat, book)
    book.held.push(slots)
  }

  /** A tick was sealed in which the bot of a seat has these slots. */
  noteSealed(tick: number, seat: number, slots: Uint32Array): void {
    const book = this.#books.get(seat)
    const expected = book?.sealed ?? Uint32Array.from(this.#layout, (slot) => slot.initial)
    const isHeldOn = slots.every((value, index) => value === this.#atRest(expected, index))
    if (isHeldOn) return
    const at = book?.held.findIndex((_, index) => this.#isMade(book, index, slots)) ?? -1
    this.#world.always('ORD-18', at >= 0, () => {
      return `Tick ${tick} has ${[...slots]} of the bot in seat ${seat}, which it never held`
    })
    if (book === undefined) return
    this.#world.sometimes('a bot held something')
    book.held = book.held.slice(at + 1)
    book.sealed = slots.slice()
  }

  get #layout(): MatchConfig['inputSlots'] {
    return this.#config?.inputSlots ?? []
  }

  /** A slot as it is when nothing changes: a shot is over. */
  #atRest(slots: Uint32Array, index: number): number {
    const { isOneShot, initial } = this.#layout[index] as MatchConfig['inputSlots'][number]
    return isOneShot ? initial : (slots[index] as number)
  }

  /** Whether slots are what the bot held last of these, with shots of any of them. */
  #isMade({ held }: Book, last: number, slots: Uint32Array): boolean {
    return this.#layout.every(({ isOneShot, initial }, index) => {
      const value = slots[index]
      if (!isOneShot) return held[last]?.[index] === value
      if (value === initial) return true
      return held.slice(0, last + 1).some((each) => each[index] === value)
    })
  }
}
