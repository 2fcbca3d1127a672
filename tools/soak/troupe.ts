import type { Dial } from '../../packages/samestep/src/transport/connection.ts'
import type { Ticks } from './messages.ts'
import type { PlayerPlan, PlayerReport } from './player.ts'
import { Player } from './player.ts'

/** Players of one process. */
export class Troupe {
  #players: Player[] = []

  async join(
    plans: readonly PlayerPlan[],
    dialFor: (plan: PlayerPlan) => Promise<Dial>,
  ): Promise<void> {
    this.#players = await Promise.all(
      plans.map(async (plan) => Player.join(plan, await dialFor(plan))),
    )
  }

  begin(): void {
    for (const player of this.#players) player.begin()
  }

  rest(): void {
    for (const player of this.#players) player.rest()
  }

  report(ticks: Ticks, msMax: number): Promise<readonly PlayerReport[]> {
    return Promise.all(
      this.#players.map((player) => player.report(ticks[player.plan.match] ?? 0, msMax)),
    )
  }

  leave(): void {
    for (const player of this.#players) player.close()
    this.#players = []
  }
}
