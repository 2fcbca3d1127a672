import type { Client } from '../../client/client.ts'
import { LevelWatch } from '../../client/debug/level-watch.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Fault } from '../../sim/game/run/report.ts'
import type { Witnessed } from '../checks/order-checks.ts'
import type { World } from '../engine/world.ts'
import type { ClientPlan } from '../plan/client-plan.ts'

/** A developer who looks closely at the ticks of one client, as its plan says. */
export class LevelHabits {
  readonly #world: World
  readonly #plan: ClientPlan
  readonly #witnessed: Witnessed

  constructor(world: World, plan: ClientPlan, witnessed: Witnessed) {
    this.#world = world
    this.#plan = plan
    this.#witnessed = witnessed
  }

  /** Another simulation runs from here on. */
  begin({ running }: Client<GameShape, unknown>): void {
    const { debugLevel = 0, match } = this.#plan
    if (debugLevel === 0) return
    this.#world.sometimes('a client debugged')
    running?.watch((watched) => {
      const watch = new LevelWatch(watched, match, { logBytesMax })
      watch.setLevel(debugLevel)
      return watch
    })
  }

  /**
   * The game is sound: a level that finds something where nothing was flipped is wrong itself. A flip
   * may come between the save before a tick and the tick, which is then told as a bad save.
   */
  noteFault({ finding, error }: Fault): void {
    if (finding === undefined) return
    const isFlip = this.#witnessed.isFlipped === true
    this.#world.sometimes('a debug level found a flip', isFlip)
    this.#world.always(
      'I-09',
      isFlip,
      () => `${this.#plan.name} accuses the game: ${String(error)}`,
    )
  }
}

/** Small, so that the order log begins anew now and then. */
const logBytesMax = 8_192
