import type { CodePlace } from '../guard/code-watch.ts'
import type { Json } from '../schema/field.ts'
import type { CallSite } from './call-site.ts'

/**
 * What happened in one entry of a trace:
 *
 * - `set`: one cell, property or item got a value (also by `fill`, `sort` and their like, which write
 *   one entry for each cell that they changed);
 * - `add`, `remove`: a row was added to or removed from a table; its cells follow as `set`;
 * - `push`, `take`: one item of a queue; a push has an entry per field;
 * - `delete`: a property, or an item of a Map or Set, was deleted;
 * - `draw`: a random stream was drawn from; `before` is the count of draws, `after` what was drawn;
 * - `call`: game code asked its machine for something that differs between machines, such as `Math.sin`
 *   or the time; `part` is `#machine`, `field` what was called, `after` what it gave. Only in traces
 *   that watch the host;
 * - `unseen`: the state changed in a way that no write through `state` explains: a custom part, a
 *   typed array made on a column's buffer, or an object that the game keeps a reference to. The place
 *   is known, the line is not;
 * - `digest`: `after` is a hash over one member of a plain value, or one leaf of a custom part, that a
 *   function of the game changed. So nothing can differ between two traces without showing in them,
 *   even where single writes cannot be seen.
 */
export type TraceKind =
  | 'set'
  | 'add'
  | 'remove'
  | 'push'
  | 'take'
  | 'delete'
  | 'draw'
  | 'call'
  | 'unseen'
  | 'digest'

/** Who wrote: a function of the game, or code outside of any tick, which is a mistake. */
export type TracePlace = CodePlace['where'] | 'outside'

/** One write to the state, or one random draw. */
export interface TraceEntry {
  /** Counted from 0 since the trace was started; the same on every machine that is in sync. */
  readonly index: number
  readonly kind: TraceKind
  readonly tick: number
  readonly where: TracePlace
  /** The system, order or derived value that ran. */
  readonly name: string
  /** The part of the state; `#random` for draws. */
  readonly part: string
  readonly row: number | undefined
  /** The column, the path inside a plain value, or the random stream. */
  readonly field: string
  readonly before: Json
  readonly after: Json
  /** The line of game code; `undefined` if unknown. */
  readonly site: CallSite | undefined
  /** The call stack, innermost call first, as the engine names the functions. */
  readonly frames: readonly CallSite[]
}
