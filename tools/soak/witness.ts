import { makeSimulation } from '../../packages/samestep/src/client/run/match-simulation.ts'
import { TickRunner } from '../../packages/samestep/src/client/run/tick-runner.ts'
import type { Match } from '../../packages/samestep/src/relay/match/match.ts'
import { InputMapping } from '../../packages/samestep/src/wire/ticks/input-layout.ts'
import { soakGame } from './game.ts'
import type { PlayerReport } from './player.ts'

/** What was sealed: an order of a seat, and at which tick. */
interface SealedMark {
  readonly number: number
  readonly tick: number
}

/** Everything that must not be, each as a count. */
export interface Verdict {
  executed: number
  refused: number
  lost: number
  doubled: number
  /** Orders that ran at another tick than their issuer was told, or in another sequence. */
  misplaced: number
  /** Orders that had no end although their line was clear for long. */
  unsettled: number
  hashMismatches: number
  /** Players whose session ended although nobody meant it to. */
  dropped: number
}

/** Runs what the relay sealed, in the relay's own process, and compares what players say with it. */
export class Witness {
  readonly #runner: TickRunner<never, never>
  readonly #marks: SealedMark[][] = []

  constructor(match: Match) {
    const { id: matchId, seed, config } = match
    const seated = { matchId, seed, config } as Parameters<typeof makeSimulation>[1]
    const simulation = makeSimulation(soakGame, seated, { guard: false })
    const mapping = new InputMapping(soakGame.inputCodec.fields)
    this.#runner = new TickRunner(simulation, mapping) as unknown as TickRunner<never, never>
    for (let seat = 0; seat < config.seats; seat++) this.#marks.push([])
  }

  get tick(): number {
    return this.#runner.simulation.matchTick
  }

  /** The sync hash after a tick. */
  hashAt(tick: number): string | undefined {
    return this.#runner.simulation.syncHashAt(tick)
  }

  handleSealed(bundle: Uint8Array): void {
    const { orders, report } = this.#runner.run(bundle)
    for (const { seat, bytes } of orders) {
      const { data } = soakGame.orderCodec.decode(bytes)
      const { number } = data as { readonly number: number }
      this.#marks[seat]?.push({ number, tick: report.tick })
    }
  }

  /** Compares the players of a match at a tick, which all of them have run. */
  judge(reports: readonly PlayerReport[], tick: number, verdict: Verdict): void {
    const hash = this.hashAt(tick)
    for (const report of reports) {
      if (report.closed !== undefined) verdict.dropped += 1
      else if (report.hash === undefined || report.hash !== hash) verdict.hashMismatches += 1
      verdict.unsettled += report.open
      this.#judgeOrders(report, verdict)
    }
    const told = new Set(reports.map(({ seat }) => seat))
    for (const [seat, marks] of this.#marks.entries()) {
      if (!told.has(seat)) judgeSequence(marks, verdict)
    }
  }

  #judgeOrders({ seat, orders }: PlayerReport, verdict: Verdict): void {
    const ranAt = new Map<number, number>()
    for (const { number, tick } of this.#marks[seat] ?? []) {
      if (ranAt.has(number)) verdict.doubled += 1
      ranAt.set(number, tick)
    }
    let before = 0
    for (const [number, result, tick] of [...orders].sort(([a], [b]) => a - b)) {
      const sealedAt = ranAt.get(number)
      if (result === 'executed') {
        verdict.executed += 1
        if (sealedAt === undefined) verdict.lost += 1
        else if (sealedAt !== tick || sealedAt < before) verdict.misplaced += 1
        before = tick ?? before
      } else if (result === 'refused') {
        verdict.refused += 1
        if (sealedAt !== undefined) verdict.misplaced += 1
      } else {
        verdict.lost += 1
      }
    }
  }
}

/** A player that was killed cannot say what it was told: what is sealed of it must have no gap. */
function judgeSequence(marks: readonly SealedMark[], verdict: Verdict): void {
  let due = 0
  for (const { number } of marks) {
    if (number < due) verdict.doubled += 1
    else verdict.lost += number - due
    due = Math.max(due, number + 1)
  }
  verdict.executed += marks.length
}

/** Nothing has happened. */
export function emptyVerdict(): Verdict {
  return {
    executed: 0,
    refused: 0,
    lost: 0,
    doubled: 0,
    misplaced: 0,
    unsettled: 0,
    hashMismatches: 0,
    dropped: 0,
  }
}
