import { WireError } from '../../base/errors.ts'
import type { Channel } from '../../link/channel.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import {
  decodeMessage,
  encodeMessage,
  helloMagic,
  protocols,
} from '../../wire/messages/messages.ts'
import { isRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import type { LinkEnd } from '../engine/network/link.ts'

/** How a visit ended at the door. */
export type DoorAnswer =
  | { readonly type: 'seated'; readonly body: MessageBody<'RelaySeated'> }
  | { readonly type: 'refused' | 'closed'; readonly reason: string }

/**
 * One link of somebody who knocks at a relay: hello, join, and whatever is answered. Later it only keeps
 * the line alive.
 */
export class Visit {
  readonly join: MessageBody<'ClientJoin'>
  readonly end: LinkEnd
  #channel: Channel | undefined
  #isSeated = false
  /** When whoever pays it goes. */
  leavesAtMs = Number.POSITIVE_INFINITY

  constructor(end: LinkEnd, join: MessageBody<'ClientJoin'>) {
    this.end = end
    this.join = join
  }

  get isSeated(): boolean {
    return this.#isSeated
  }

  get isOver(): boolean {
    return this.#channel?.state.name === 'closed'
  }

  handleOpened(channel: Channel, game: Game, nowMs: number): void {
    this.#channel = channel
    const { id, version, fingerprint } = game
    const hello: MessageBody<'ClientHello'> = {
      magic: helloMagic,
      protocols: [...protocols],
      gameId: id,
      gameVersion: version,
      fingerprint: fromHex(fingerprint),
    }
    channel.sendControl(encodeMessage('ClientHello', hello), nowMs)
  }

  /** Something came. Gives the answers in it. */
  handlePacket(bytes: Uint8Array, nowMs: number): DoorAnswer[] {
    const channel = this.#channel
    const answers: DoorAnswer[] = []
    channel?.handlePacket(bytes, nowMs)
    for (let next = channel?.pollMessage(); next; next = channel?.pollMessage()) {
      if (isRelayBundles(next.bytes)) continue
      const answer = this.#read(next.bytes, nowMs)
      if (answer !== undefined) answers.push(answer)
    }
    return answers
  }

  handleTime(nowMs: number): void {
    const channel = this.#channel
    if (channel !== undefined && channel.wakeAtMs() <= nowMs) channel.handleTime(nowMs)
  }

  wakeAtMs(): number {
    return Math.min(this.#channel?.wakeAtMs() ?? Number.POSITIVE_INFINITY, this.leavesAtMs)
  }

  pollPacket(): Uint8Array | undefined {
    return this.#channel?.pollPacket()
  }

  #read(bytes: Uint8Array, nowMs: number): DoorAnswer | undefined {
    try {
      const { name, body } = decodeMessage(bytes)
      if (name === 'RelayWelcome') {
        this.#channel?.sendControl(encodeMessage('ClientJoin', this.join), nowMs)
      }
      if (name === 'RelayRefuse') return { type: 'refused', reason: body.reason }
      if (name === 'RelayClose') return { type: 'closed', reason: body.reason }
      if (name !== 'RelaySeated') return undefined
      this.#isSeated = true
      return { type: 'seated', body }
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      return undefined
    }
  }
}
