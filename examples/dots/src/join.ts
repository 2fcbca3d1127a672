import type { Game, Match } from 'samestep'
import { JoinError, joinMatch } from 'samestep'
import { Conditioner, parseConditions } from 'samestep/transport'
import { joinMatchInWorker } from 'samestep/worker'
import { dots } from './game.ts'
import { type Line, WorkerLine } from './line.ts'
import { type Link, nextName } from './link.ts'

type Shape = typeof dots extends Game<infer G, infer _> ? G : never
type Render = (typeof dots)['render']

/** A match of dots, whichever thread plays it. */
export type DotsMatch = Match<Shape, Render>

/** A way to join matches, and the line that they use. */
export interface Joiner {
  readonly line: Line
  /** Joins the match of that name; where it is taken, the next one. Gives it with its name. */
  join(url: string, name: string): Promise<readonly [match: DotsMatch, name: string]>
}

/** A page for developers: its relay may ask for any level. */
const relayDebugLevelMax = 4

/** Joins as the address of the page says: on the page, or with `?worker` in a worker. */
export function makeJoiner({ conditions, isInWorker, match: _, ...options }: Link): Joiner {
  if (!isInWorker) {
    const conditioner = new Conditioner(parseConditions(conditions))
    return {
      line: conditioner,
      join: (url, name) =>
        joinFree(name, (match) =>
          joinMatch(dots, { url, match, conditioner, relayDebugLevelMax, ...options }),
        ),
    }
  }
  const file = new URL('match-worker.js', import.meta.url)
  const worker = new Worker(file, { type: 'module' })
  const line = new WorkerLine(worker)
  const { sending, receiving } = parseConditions(conditions)
  line.set(sending ?? {}, 'sending')
  line.set(receiving ?? {}, 'receiving')
  return {
    line,
    join: (url, name) =>
      joinFree(name, (match) =>
        joinMatchInWorker(dots, { url, match, worker, relayDebugLevelMax, ...options }),
      ),
  }
}

async function joinFree(
  wanted: string,
  join: (match: string) => Promise<DotsMatch>,
): Promise<readonly [DotsMatch, string]> {
  for (let name = wanted; ; name = nextName(name)) {
    try {
      return [await join(name), name]
    } catch (error) {
      const isTaken = error instanceof JoinError && /match-full|behind-log/.test(error.reason)
      if (!isTaken) throw error
    }
  }
}
