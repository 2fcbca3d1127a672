import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { ClientActor } from '../../src/storm/actors/client-actor.ts'
import { RelayActor } from '../../src/storm/actors/relay-actor.ts'
import { Oracle } from '../../src/storm/checks/oracle.ts'
import type { Conditions } from '../../src/storm/engine/network/conditions.ts'
import type { NodeId } from '../../src/storm/engine/node-id.ts'
import { World } from '../../src/storm/engine/world.ts'
import { toyGame } from '../../src/storm/games/toy-game.ts'
import type { ClientPlan } from '../../src/storm/plan/client-plan.ts'
import { knobDefaults } from '../../src/storm/plan/storm-knobs.ts'

/** A player of a scenario; what is left out is calm and busy. */
export interface Role extends Partial<ClientPlan> {
  readonly line?: Conditions
  readonly game?: Game
}

/** A line as people have it at home: 20 ms each way. */
export const stream: Conditions = { kind: 'stream', there: { latencyMs: 20, jitterMs: 2 } }
export const datagrams: Conditions = { kind: 'datagram', there: { latencyMs: 20, jitterMs: 2 } }

/**
 * One relay and some players in a world of virtual time, with an oracle that checks every sealed tick,
 * every executed one, every hash and every order while the scenario runs.
 */
export class Stage {
  readonly world: World
  readonly oracle: Oracle
  readonly relay: RelayActor
  readonly relayNode: NodeId
  readonly #players = new Map<string, { readonly actor: ClientActor; readonly node: NodeId }>()
  /** When each tick was sealed, by tick less one. */
  readonly sealedAtMs: number[] = []
  /** When each player ran each tick, by tick less one. */
  readonly ranAtMs = new Map<string, number[]>()

  constructor(
    roles: { readonly [name: string]: Role },
    seed = 1,
    options: { readonly hasBetterDoor?: boolean } = {},
  ) {
    this.world = new World({ seed })
    this.oracle = new Oracle(this.world)
    const knobs = { ...knobDefaults, movesPerMinute: options.hasBetterDoor === true ? 1 : 0 }
    this.relay = new RelayActor(this.world, new Map([['match', this.oracle]]), knobs)
    this.relayNode = this.world.addNode('relay', this.relay)
    const seats = Object.values(roles).filter(({ role }) => role !== 'spectator').length
    for (const [name, role] of Object.entries(roles)) this.#add(name, role, seats)
  }

  player(name: string): ClientActor {
    return this.#entry(name).actor
  }

  nodeOf(name: string): NodeId {
    return this.#entry(name).node
  }

  get players(): readonly ClientActor[] {
    return [...this.#players.values()].map(({ actor }) => actor)
  }

  /** Lets time pass. */
  run(ms: number): void {
    this.world.runUntil(this.world.nowMs + ms, () => this.#note())
  }

  /** Lets time pass until something is so; throws when it takes longer than `msMax`. */
  runUntil(isSo: () => boolean, msMax = 10_000): void {
    const untilMs = this.world.nowMs + msMax
    while (!isSo()) {
      if (this.world.nowMs >= untilMs) throw new Error(`It is not so after ${msMax} ms`)
      this.run(5)
    }
  }

  /** No new orders; what is on its way comes to its end. */
  finish(): void {
    for (const actor of this.players) actor.stopWork()
    this.run(5_000)
  }

  /** Orders of a player and how they ended: executed, refused, lost, or undefined. */
  endsOf(name: string): (string | undefined)[] {
    return this.player(name).witnessed.issued.map(({ end }) => end?.result)
  }

  /** The longest time between two sealed ticks in a span of time. */
  sealGapMs(fromMs: number, toMs: number): number {
    return longestGap(this.sealedAtMs, fromMs, toMs)
  }

  /** The longest time between two ticks that a player ran in a span of time. */
  runGapMs(name: string, fromMs: number, toMs: number): number {
    return longestGap(this.ranAtMs.get(name) ?? [], fromMs, toMs)
  }

  #add(name: string, role: Role, seats: number): void {
    const { line = datagrams, game = toyGame as unknown as Game, ...changes } = role
    const plan: ClientPlan = {
      name,
      match: 'match',
      seats,
      role: 'player',
      inputDelay: 3,
      missing: { kind: 'idle', waitMs: 0 },
      lagProtection: {},
      lobby: {},
      pace: {},
      botSeats: 0,
      hasWishes: false,
      isPaced: false,
      ticksPerRun: 1,
      phase: 0,
      orderEveryMs: 150,
      inputEveryMs: 100,
      ...changes,
    }
    const { world, oracle, relayNode } = this
    const actor = new ClientActor(world, game, plan, relayNode, oracle, 0, () => line)
    const node = world.addNode(name, actor)
    this.#players.set(name, { actor, node })
    this.ranAtMs.set(name, [])
    world.atNode(node, 0, (nowMs) => actor.start(node, nowMs))
  }

  #note(): void {
    const { nowMs } = this.world
    while (this.sealedAtMs.length < this.oracle.sealedTick) this.sealedAtMs.push(nowMs)
    for (const [name, times] of this.ranAtMs) {
      const { simulatedTick } = this.player(name).client.cursors
      while (times.length < simulatedTick) times.push(nowMs)
    }
  }

  #entry(name: string) {
    const entry = this.#players.get(name)
    if (entry === undefined) throw new Error(`There is no player ${name}`)
    return entry
  }
}

function longestGap(times: readonly number[], fromMs: number, toMs: number): number {
  const inside = times.filter((at) => at >= fromMs && at <= toMs)
  let longest = 0
  let before = fromMs
  for (const at of [...inside, toMs]) {
    longest = Math.max(longest, at - before)
    before = at
  }
  return longest
}
