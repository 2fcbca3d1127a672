import { WireError } from '../../base/errors.ts'
import type { Channel } from '../../link/channel.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import { contentFilesMax } from '../../sim/limits.ts'
import type { ContentList, MatchConfig } from '../../wire/messages/match-config.ts'
import type { Message } from '../../wire/messages/messages.ts'
import {
  decodeMessage,
  encodeMessage,
  helloMagic,
  protocols,
} from '../../wire/messages/messages.ts'
import { isRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import { channelFor } from '../actors/relay-actor.ts'
import { randomTicket } from '../actors/session-keys.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { Actor } from '../engine/actor.ts'
import type { Conditions } from '../engine/network/conditions.ts'
import type { LinkEnd } from '../engine/network/link.ts'
import type { NodeId } from '../engine/node-id.ts'
import type { World } from '../engine/world.ts'
import { matchName } from '../plan/match-options.ts'

/**
 * Somebody with another map: the same game, and one file that the match does not have. It asks now and
 * then while the match runs, and must never be let in; when it hears why, the reason names its file.
 */
export class ForeignerActor implements Actor {
  readonly #world: World
  readonly #oracle: Oracle
  readonly #game: Game
  readonly #config: MatchConfig
  readonly #relayNode: NodeId
  readonly #ticket: Uint8Array
  #self: NodeId = -1
  #end: LinkEnd | undefined
  #channel: Channel | undefined
  #timeMs = 0
  #tryAtMs = Number.POSITIVE_INFINITY
  #hangUpAtMs = Number.POSITIVE_INFINITY

  constructor(world: World, oracle: Oracle, game: Game, config: MatchConfig, relayNode: NodeId) {
    this.#world = world
    this.#oracle = oracle
    this.#game = game
    this.#config = { ...config, content: withOwnFile(config.content) }
    this.#relayNode = relayNode
    this.#ticket = randomTicket(world.random('ticket/foreigner'))
  }

  start(self: NodeId, nowMs: number): void {
    this.#self = self
    this.#timeMs = nowMs
    this.#tryAtMs = nowMs + everyMs
  }

  /** The quiet phase is for the others. */
  stop(): void {
    this.#tryAtMs = Number.POSITIVE_INFINITY
    this.#hangUp()
  }

  handleLinkOpened(end: LinkEnd, nowMs: number): void {
    if (end !== this.#end) return
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    this.#channel = channelFor(end, 0)(this.#timeMs)
    const { id, version, fingerprint } = this.#game
    this.#say('ClientHello', {
      magic: helloMagic,
      protocols: [...protocols],
      gameId: id,
      gameVersion: version,
      fingerprint: fromHex(fingerprint),
    })
  }

  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void {
    const channel = this.#channel
    if (end !== this.#end || channel === undefined) return
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    channel.handlePacket(bytes, this.#timeMs)
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      this.#world.always('F-27', !isRelayBundles(next.bytes), 'Ticks went to another map')
      this.#hear(readMessage(next.bytes))
    }
    this.#drain()
  }

  handleLinkClosed(end: LinkEnd): void {
    if (end !== this.#end) return
    this.#end = undefined
    this.#channel = undefined
    this.#hangUpAtMs = Number.POSITIVE_INFINITY
  }

  handleTime(nowMs: number): void {
    this.#timeMs = Math.max(nowMs, this.#timeMs)
    if (this.#timeMs >= this.#hangUpAtMs) this.#hangUp()
    if (this.#timeMs >= this.#tryAtMs) this.#try()
    const channel = this.#channel
    if (channel === undefined) return
    if (channel.wakeAtMs() <= this.#timeMs) channel.handleTime(this.#timeMs)
    this.#drain()
  }

  wakeAtMs(): number {
    const channelAtMs = this.#channel?.wakeAtMs() ?? Number.POSITIVE_INFINITY
    return Math.min(channelAtMs, this.#tryAtMs, this.#hangUpAtMs)
  }

  /** Only once there is a match: the first to come would decide which map it is. */
  #try(): void {
    this.#tryAtMs = this.#timeMs + everyMs
    if (this.#oracle.sealedTick === 0 || this.#end !== undefined) return
    this.#end = this.#world.connect(this.#self, this.#relayNode, line)
    this.#hangUpAtMs = this.#timeMs + patienceMs
  }

  #hear(message: Message | undefined): void {
    switch (message?.name) {
      case 'RelayWelcome':
        this.#say('ClientJoin', {
          match: matchName,
          name: 'foreigner',
          role: 'spectator',
          config: this.#config,
          // As somebody who comes back, so that it never makes a match where there is none. Its map is
          // looked at before its ticket, which nobody has.
          ticket: this.#ticket,
          secret: undefined,
          nextTick: 2,
          token: undefined,
          software: undefined,
        })
        return
      case 'RelaySeated':
        this.#world.always('F-27', false, 'Somebody with another map was let in')
        return
      case 'RelayRefuse': {
        const { reason, message: why } = message.body
        this.#world.sometimes('another map was refused', reason === 'version')
        const isTold =
          reason !== 'version' || why.includes('your files are not those of this match')
        this.#world.always('F-27', isTold && reason !== 'auth', () => `Another map got: ${why}`)
      }
    }
  }

  #say<N extends Parameters<typeof encodeMessage>[0]>(
    name: N,
    body: Parameters<typeof encodeMessage<N>>[1],
  ): void {
    this.#channel?.sendControl(encodeMessage(name, body), this.#timeMs)
    this.#drain()
  }

  #hangUp(): void {
    if (this.#end !== undefined) this.#world.closeLink(this.#end)
    if (this.#end !== undefined) this.handleLinkClosed(this.#end)
  }

  #drain(): void {
    for (let bytes = this.#channel?.pollPacket(); bytes; bytes = this.#channel?.pollPacket()) {
      if (this.#end !== undefined) this.#world.send(this.#end, bytes)
    }
  }
}

/** The files of the match and one more; a full list has no place for it, and loses its last. */
function withOwnFile(content: ContentList): ContentList {
  const own = { name: ownFile, hash: new Uint8Array(32) }
  const all = [...content.slice(0, contentFilesMax - 1), own]
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function readMessage(bytes: Uint8Array): Message | undefined {
  try {
    return decodeMessage(bytes)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return undefined
  }
}

const ownFile = 'maps/foreign.json'

/** How often it tries, and how long it waits for an answer. */
const everyMs = 4_000
const patienceMs = 3_000

/** A good line of its own: it is there to be refused. */
const line: Conditions = { kind: 'stream', there: { latencyMs: 30 } }
