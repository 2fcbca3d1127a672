/** The match could not be set up here: the game's `setup` threw, or this engine cannot run it. */
export class SetupError extends Error {
  override readonly name = 'SetupError'

  constructor(gameId: string, cause: unknown) {
    const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    super(`Cannot set up a match of '${gameId}': ${what}`, { cause })
  }
}
