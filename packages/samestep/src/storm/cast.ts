import { makeConfig } from '../client/membership/match-config.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import type { MatchConfig } from '../wire/messages/match-config.ts'
import { ClientActor } from './actors/client-actor.ts'
import { tokenOf } from './actors/gatekeeper.ts'
import { randomSecret, randomTicket } from './actors/session-keys.ts'
import { AttackerActor } from './attackers/attacker-actor.ts'
import { CheatActor } from './cheats/cheat-actor.ts'
import type { DesyncBook } from './checks/desync-checks.ts'
import type { Oracle } from './checks/oracle.ts'
import { conditionsAt } from './engine/faults/curves.ts'
import type { Conditions } from './engine/network/conditions.ts'
import type { NodeId } from './engine/node-id.ts'
import type { World } from './engine/world.ts'
import { ruledGameId } from './games/ruled-game.ts'
import { makeToyGame, toyGame } from './games/toy-game.ts'
import { ForeignerActor } from './outsiders/foreigner-actor.ts'
import { OutsiderActor } from './outsiders/outsider-actor.ts'
import { isCheat, isOutsider, isRough } from './plan/attack-kinds.ts'
import type { MatchOptions } from './plan/match-options.ts'
import { matchName, optionsOf } from './plan/match-options.ts'
import type { StormNode } from './plan/storm-node.ts'
import type { StormKnobs, StormPlan } from './plan/storm-plan.ts'
import { knobsOf } from './plan/storm-plan.ts'

/** A client of a plan. */
export type ClientNode = StormNode & { readonly kind: 'client' }

/** What a cast needs of the storm around it. */
export interface CastParts {
  readonly world: World
  readonly game: Game
  readonly plan: StormPlan
  readonly oracle: Oracle
  readonly desync: DesyncBook
  readonly relayNode: NodeId
  /** A client came into the world. */
  handleAdded(node: ClientNode, id: NodeId, actor: ClientActor): void
}

/** Everybody in a storm besides the relay: the honest, and those who are not. */
export class Cast {
  readonly clients: readonly ClientActor[]
  readonly attackers: readonly AttackerActor[]
  readonly cheats: readonly CheatActor[]
  readonly outsiders: readonly OutsiderActor[]
  /** Somebody with another map, where there is one. */
  readonly #foreigner: ForeignerActor | undefined
  readonly #parts: CastParts
  readonly #knobs: StormKnobs
  readonly #options: MatchOptions
  readonly #config: MatchConfig

  constructor(parts: CastParts) {
    this.#parts = parts
    this.#knobs = knobsOf(parts.plan)
    this.#options = optionsOf(parts.plan, parts.game)
    this.#config = makeConfig(parts.game, { ...this.#options, name: '' })
    this.clients = this.#addClients()
    this.attackers = this.#addAttackers()
    this.cheats = this.#addCheats()
    this.outsiders = this.#addOutsiders()
    this.#foreigner = this.#addForeigner()
  }

  /** Links that may be there besides those of the clients. */
  get strangerLinks(): number {
    const knocking = this.outsiders.reduce((sum, { linksMax }) => sum + linksMax, 0)
    const foreigners = this.#foreigner === undefined ? 0 : 1
    return this.attackers.length + this.cheats.length + knocking + foreigners
  }

  /** Ends all attacks. */
  stopAttacks(): void {
    for (const each of [...this.attackers, ...this.cheats, ...this.outsiders]) each.stop()
    this.#foreigner?.stop()
  }

  #addClients(): ClientActor[] {
    const { world, game, plan, relayNode, oracle, desync } = this.#parts
    const { firstNumber, botSeats, botsHold, hasWishes, isPaced, ticksPerRun, debugLevel } =
      this.#knobs
    const { movesPerMinute } = this.#knobs
    const clients: ClientActor[] = []
    for (const node of plan.nodes) {
      if (node.kind !== 'client') continue
      const { clock: _clock, kind: _kind, startsAtMs: _startsAtMs, ...habits } = node
      const { name } = node
      const phase = clients.length
      const token = this.#tokenOf(name)
      const own = {
        ...habits,
        ...watching(game, node.role),
        botSeats,
        botsHold,
        ...(name === 'c0' ? { debugLevel } : {}),
        hasWishes,
        isPaced,
        ticksPerRun,
        movesPerMinute,
        phase,
        token,
      }
      const actor = new ClientActor(
        world,
        quirkyGame(game, name, this.#knobs),
        { ...this.#options, ...own },
        relayNode,
        oracle,
        firstNumber,
        this.#conditionsOf(name),
        desync,
      )
      const id = world.addNode(name, actor, node.clock)
      world.atNode(id, node.startsAtMs ?? 0, (nowMs) => actor.start(id, nowMs))
      this.#parts.handleAdded(node, id, actor)
      clients.push(actor)
    }
    return clients
  }

  #addAttackers(): AttackerActor[] {
    const { world, game, plan, relayNode, oracle } = this.#parts
    const { firstNumber } = this.#knobs
    return plan.attackers.flatMap(({ name, kind }) => {
      if (!isRough(kind)) return []
      const token = this.#tokenOf(name)
      const spec = { kind, match: matchName, config: this.#config, firstNumber, token }
      const conditions = this.#conditionsOf(name)
      return [
        this.#begin(name, new AttackerActor(world, oracle, game, spec, relayNode, conditions)),
      ]
    })
  }

  #addCheats(): CheatActor[] {
    const { world, game, plan, relayNode, oracle } = this.#parts
    const { firstNumber, lobbyStart, botSeats } = this.#knobs
    const { seats } = this.#options
    const room = { seats, lobbyStart, botSeats, hasWishes: false, pausesMax: 0 }
    return plan.attackers.flatMap(({ name, kind }) => {
      if (!isCheat(kind)) return []
      const ticket = randomTicket(world.random(`ticket/${kind}`))
      const secret = randomSecret(world.random(`secret/${kind}`))
      const token = this.#tokenOf(name)
      const proof = { ticket, secret, ...(token === undefined ? {} : { token }) }
      const own = { ...this.#options, name, ...proof, development: false, loadsItself: true }
      const spec = { name, kind, options: own, room, firstNumber }
      const conditions = this.#conditionsOf(name)
      return [this.#begin(name, new CheatActor(world, game, spec, relayNode, oracle, conditions))]
    })
  }

  #addOutsiders(): OutsiderActor[] {
    const { world, game, plan, relayNode, oracle } = this.#parts
    const { firstNumber, isAuthorizing, caps } = this.#knobs
    return plan.attackers.flatMap(({ name, kind }) => {
      if (!isOutsider(kind)) return []
      const config = this.#config
      const spec = { name, kind, match: matchName, config, isAuthorizing, caps, firstNumber }
      const conditions = this.#conditionsOf(name)
      return [
        this.#begin(name, new OutsiderActor(world, game, spec, relayNode, oracle, conditions)),
      ]
    })
  }

  /** Where somebody decides about joins it would not get as far as its map. */
  #addForeigner(): ForeignerActor | undefined {
    const { world, game, relayNode, oracle } = this.#parts
    const { hasForeigner, isAuthorizing } = this.#knobs
    if (!hasForeigner || isAuthorizing) return undefined
    const actor = new ForeignerActor(world, oracle, game, this.#config, relayNode)
    return this.#begin('foreigner', actor)
  }

  #begin<A extends AttackerActor | CheatActor | OutsiderActor | ForeignerActor>(
    name: string,
    actor: A,
  ): A {
    const { world } = this.#parts
    const id = world.addNode(name, actor)
    world.atNode(id, 0, (nowMs) => actor.start(id, nowMs))
    return actor
  }

  #tokenOf(name: string): string | undefined {
    return this.#knobs.isAuthorizing ? tokenOf(name) : undefined
  }

  #conditionsOf(name: string): () => Conditions {
    const { plan, world } = this.#parts
    return () => conditionsAt(plan.links, name, 'relay', world.nowMs) ?? { kind: 'stream' }
  }
}

/** The game as a machine has it: that of whoever is to go its own way may be another. */
function quirkyGame(game: Game, name: string, { flip, tickRate }: StormKnobs): Game {
  const { kind } = flip ?? {}
  if (flip?.client !== name || game.id !== toyGame.id) return game
  if (kind !== 'draw' && kind !== 'reorder') return game
  // The toy draws in every sixteenth tick.
  const tick = kind === 'draw' ? Math.ceil(flip.tick / 16) * 16 : flip.tick
  return makeToyGame(tickRate, { kind, tick }) as unknown as Game
}

/** Who watches a game that has orders for them issues some. */
function watching({ id }: Game, role: ClientNode['role']): { orderEveryMs?: number } {
  return role === 'spectator' && id === ruledGameId ? { orderEveryMs: 700 } : {}
}
