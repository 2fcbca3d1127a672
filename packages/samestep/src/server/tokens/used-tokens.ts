/** Which tokens were used, and from where. One with an id is good for one address (T-14). */
export class UsedTokens {
  readonly #used = new Map<string, { readonly address: string; readonly forgetAtMs: number }>()
  readonly #max: number

  constructor(max = tokensMax) {
    this.#max = max
  }

  /** How many are remembered. */
  get size(): number {
    return this.#used.size
  }

  /**
   * Notes that a token is used from here. False when it was used elsewhere, or when so many are in use
   * that it could not be remembered: then nobody could tell.
   */
  use(id: string, address: string, forgetAtMs: number, unixMs: number): boolean {
    const use = this.#used.get(id)
    if (use !== undefined && use.forgetAtMs > unixMs) return use.address === address
    if (this.#used.size >= this.#max) this.#forgetExpired(unixMs)
    if (this.#used.size >= this.#max) return false
    this.#used.set(id, { address, forgetAtMs })
    return true
  }

  #forgetExpired(unixMs: number): void {
    for (const [id, { forgetAtMs }] of this.#used) if (forgetAtMs <= unixMs) this.#used.delete(id)
  }
}

/** As many as UDP remembers connect tickets. */
const tokensMax = 65_536
