import type { Prng } from '../../base/prng.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { MatchConfig } from '../../wire/messages/messages.ts'
import { channelFor } from '../actors/relay-actor.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Actor } from '../engine/actor.ts'
import type { Conditions } from '../engine/network/conditions.ts'
import type { LinkEnd } from '../engine/network/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import type { OutsiderKind } from '../plan/attack-kinds.ts'
import type { RelayCaps } from '../plan/storm-knobs.ts'
import type { Doorstep, Outsider } from './outsider.ts'
import { outsiders } from './outsiders.ts'
import { Visit } from './visit.ts'

/** What an outsider is made of. */
export interface OutsiderSpec {
  readonly name: string
  readonly kind: OutsiderKind
  readonly match: string
  readonly config: MatchConfig
  readonly isAuthorizing: boolean
  readonly caps: RelayCaps | null
  readonly firstNumber: number
}

/** Somebody without a seat in the match, who knocks at the relay over several links at once. */
export class OutsiderActor implements Actor, Doorstep {
  readonly spec: OutsiderSpec
  readonly world: World
  readonly oracle: Oracle
  readonly random: Prng
  readonly #game: Game
  readonly #relayNode: NodeId
  readonly #conditions: () => Conditions
  readonly #outsider: Outsider
  readonly #visits = new Map<LinkEnd, Visit>()
  #self: NodeId = -1
  #timeMs = 0
  #nextAtMs = 0
  #isStopped = false

  constructor(
    world: World,
    game: Game,
    spec: OutsiderSpec,
    relayNode: NodeId,
    oracle: Oracle,
    conditions: () => Conditions,
  ) {
    this.spec = spec
    this.world = world
    this.oracle = oracle
    this.random = world.random(`attack/${spec.kind}`)
    this.#game = game
    this.#relayNode = relayNode
    this.#conditions = conditions
    this.#outsider = new outsiders[spec.kind](this)
  }

  get config(): MatchConfig {
    return this.spec.config
  }

  get match(): string {
    return this.spec.match
  }

  get name(): string {
    return this.spec.name
  }

  get isAuthorizing(): boolean {
    return this.spec.isAuthorizing
  }

  get caps(): RelayCaps | null {
    return this.spec.caps
  }

  /** Links that it may have left at the relay. */
  get linksMax(): number {
    return this.#outsider.visitsMax
  }

  start(self: NodeId, nowMs: number): void {
    this.#self = self
    this.#timeMs = nowMs
    this.#nextAtMs = nowMs
    this.handleTime(nowMs)
  }

  /** Goes home. */
  stop(): void {
    this.#isStopped = true
    for (const end of this.#visits.keys()) this.world.closeLink(end)
    this.#visits.clear()
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    const makeChannel = channelFor(end, this.spec.firstNumber)
    const visit = this.#visits.get(end)
    visit?.handleOpened(makeChannel(this.#timeMs), this.#game, this.#timeMs)
    this.#drain()
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    const visit = this.#visits.get(end)
    if (visit === undefined) return
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    for (const answer of visit.handlePacket(bytes, this.#timeMs)) {
      this.world.sometimes(`outsider ${this.spec.kind} was ${answer.type}`)
      const staysMs = this.#outsider.handleAnswer(visit, answer)
      if (answer.type === 'seated') visit.leavesAtMs = this.#timeMs + staysMs
    }
    this.#drain()
    if (visit.isOver) this.#end(end)
  }

  handleLinkClosed(end: LinkEnd): void {
    this.#visits.delete(end)
  }

  handleTime(nowMs: number): void {
    if (this.#isStopped || this.#self < 0) return
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    for (const [end, visit] of this.#visits) {
      visit.handleTime(this.#timeMs)
      if (!visit.isOver && this.#timeMs < visit.leavesAtMs) continue
      this.#end(end)
    }
    if (this.#timeMs >= this.#nextAtMs) {
      this.#nextAtMs = this.#timeMs + 1 + this.#outsider.everyMs * this.random.exponential()
      this.#knock()
    }
    this.#drain()
  }

  wakeAtMs(): number {
    if (this.#isStopped || this.#self < 0) return Number.POSITIVE_INFINITY
    let wake = this.#nextAtMs
    for (const visit of this.#visits.values()) wake = Math.min(wake, visit.wakeAtMs())
    return wake
  }

  #end(end: LinkEnd): void {
    this.#visits.delete(end)
    this.world.closeLink(end)
  }

  #knock(): void {
    if (this.#visits.size >= this.#outsider.visitsMax) return
    const join = this.#outsider.draw()
    if (join === undefined) return
    const end = this.world.connect(this.#self, this.#relayNode, this.#conditions())
    this.#visits.set(end, new Visit(end, join))
  }

  #drain(): void {
    for (const [end, visit] of this.#visits) {
      for (let bytes = visit.pollPacket(); bytes; bytes = visit.pollPacket()) {
        this.world.send(end, bytes)
      }
    }
  }
}
