/** What carries a match whose client is in this thread: over a relay, or in this process. */
export interface MatchLine {
  /** For people; `undefined` while there is no link. */
  readonly transport: string | undefined
  /** The time that the client is told, now. */
  nowMs(): number
  /** The client has something to say. */
  flush(): void
  /** The client is to see the time, because something has changed for it. */
  wake(): void
  /** Runs the ticks that are due for a picture of this time. Gives the picture's in the client's time. */
  advance(nowMs: number): number
  /** Ends it: what was said is still sent, and nothing is heard any more. */
  stop(): void
}
