/** Whatever has a number of its own. */
interface Numbered {
  readonly id: number
}

/**
 * Items by number. Numbers grow without end, so they are no places of an array; but those that are in
 * use lie close together, and are asked for many times per second. What was found is remembered at a
 * place that its number gives, which makes most searches one look.
 */
export class IdTable<T extends Numbered> {
  readonly #items = new Map<number, T>()
  readonly #found: (T | undefined)[] = new Array(places).fill(undefined)

  get size(): number {
    return this.#items.size
  }

  get(id: number): T | undefined {
    const place = id & (places - 1)
    const found = this.#found[place]
    if (found !== undefined && found.id === id) return found
    const item = this.#items.get(id)
    if (item !== undefined) this.#found[place] = item
    return item
  }

  set(item: T): void {
    this.#items.set(item.id, item)
    this.#found[item.id & (places - 1)] = item
  }

  delete(id: number): void {
    this.#items.delete(id)
    const place = id & (places - 1)
    if (this.#found[place]?.id === id) this.#found[place] = undefined
  }

  values(): MapIterator<T> {
    return this.#items.values()
  }
}

/** A power of two, and more than one process has connections in most cases. */
const places = 4_096
