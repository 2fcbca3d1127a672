/**
 * Somebody who joins a match over WebSocket with as little as that takes, so that one process can be
 * hundreds of them: no simulation, no turns, and what comes after the join is thrown away unread.
 */
import type { Socket } from 'node:net'
import { makeClientFrame } from '../../packages/samestep/src/transport/testing/raw-websocket.ts'
import {
  type LobbyConfig,
  lobbyDefaults,
  type MatchConfig,
  makeMatchConfig,
} from '../../packages/samestep/src/wire/messages/match-config.ts'
import {
  decodeMessage,
  encodeMessage,
  helloMagic,
  protocols,
} from '../../packages/samestep/src/wire/messages/messages.ts'
import {
  type RoomAction,
  writeAction,
} from '../../packages/samestep/src/wire/messages/room-actions.ts'
import { FrameReader } from './frame-reader.ts'
import { closedWithin, connectFrom } from './sockets.ts'
import { upgradeRequest } from './upgrade.ts'

/** What a member asks for. */
export interface MemberPlan {
  readonly match: string
  readonly name?: string
  readonly role?: 'player' | 'spectator'
  readonly seats?: number
  readonly lobby?: Partial<LobbyConfig>
  /** The game, where the match is somebody else's: its hello, and what its matches are made with. */
  readonly game?: { readonly hello: Uint8Array; readonly config: MatchConfig }
}

/** How long a join may take. */
const joinMsMax = 10_000

/** A match of any game: the relay never looks into one. */
const game = { gameId: 'stranger', gameVersion: 1, fingerprint: new Uint8Array(32) }

/** The first message of every conversation. */
export function helloOf(): Uint8Array {
  return encodeMessage('ClientHello', {
    ...game,
    magic: helloMagic,
    protocols: [...protocols],
  })
}

/** The second one. */
export function joinOf(plan: MemberPlan): Uint8Array {
  const { match, name = 'Stranger', role = 'player', seats = 1, lobby } = plan
  const ownConfig = makeMatchConfig({ seats, tickRate: 30, lobby: { ...lobbyDefaults, ...lobby } })
  return encodeMessage('ClientJoin', {
    match,
    name,
    role,
    config: plan.game?.config ?? ownConfig,
    ticket: undefined,
    secret: undefined,
    nextTick: 1,
    token: undefined,
    software: undefined,
  })
}

/** A join that did not work, and why: a status of HTTP, a word of the relay, `closed` or `timeout`. */
export interface Refused {
  readonly refusal: string
}

/** A member of a match that sends only what it is told to. */
export class RawMember {
  readonly socket: Socket
  /** Its number in the match. */
  readonly id: number

  private constructor(socket: Socket, id: number) {
    this.socket = socket
    this.id = id
  }

  /** Joins, from one of the strangers' addresses. Never rejects. */
  static async join(
    port: number,
    localAddress: string,
    plan: MemberPlan,
  ): Promise<RawMember | Refused> {
    const socket = await connectFrom(localAddress, port)
    if (socket === undefined) return { refusal: 'closed' }
    socket.write(upgradeRequest({ path: `/?match=${encodeURIComponent(plan.match)}` }))
    const result = await Promise.race([
      converse(socket, plan),
      closedWithin(socket, joinMsMax).then((isClosed) => (isClosed ? 'closed' : 'timeout')),
    ])
    if (typeof result === 'number') return new RawMember(socket, result)
    socket.destroy()
    return { refusal: result }
  }

  get isClosed(): boolean {
    return this.socket.destroyed
  }

  send(message: Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(makeClientFrame(2, message))
  }

  act(action: RoomAction): void {
    this.send(encodeMessage('ClientAct', writeAction(action)))
  }

  /** A sign of life; without one, the relay ends the session after a minute. */
  sayHere(activity: 'active' | 'hidden' = 'active'): void {
    this.send(encodeMessage('ClientHere', { activity }))
  }

  /** Leaves in order. */
  leave(): void {
    this.send(encodeMessage('ClientLeave', { reason: '' }))
    this.socket.end()
  }

  /** Is gone without a word. */
  hangUp(): void {
    this.socket.resetAndDestroy()
  }
}

/** Says hello and joins; gives the number of the member, or why there is none. */
function converse(socket: Socket, plan: MemberPlan): Promise<number | string> {
  const frames = new FrameReader()
  return new Promise((resolve) => {
    const settle = (result: number | string) => {
      socket.off('data', onData)
      socket.resume()
      resolve(result)
    }
    let isGreeted = false
    const onData = (chunk: Buffer) => {
      const came = frames.push(chunk)
      if (frames.status === 101 && !isGreeted) {
        isGreeted = true
        socket.write(makeClientFrame(2, plan.game?.hello ?? helloOf()))
      }
      for (const { opcode, payload } of came) {
        if (opcode === 8) settle(String(payload.length >= 2 ? payload.readUInt16BE(0) : 'closed'))
        // Bulk, farewells and ticks are no messages of this conversation.
        if (opcode !== 2 || (payload[0] ?? 0x80) >= 0x3e) continue
        const message = decodeMessage(payload)
        if (message.name === 'RelayWelcome') socket.write(makeClientFrame(2, joinOf(plan)))
        if (message.name === 'RelayRefuse') settle(message.body.reason)
        if (message.name === 'RelayClose') settle(message.body.reason)
        if (message.name === 'RelaySeated') settle(message.body.member)
      }
      if (frames.status !== 101 && frames.status !== 0) settle(String(frames.status))
    }
    socket.on('data', onData)
  })
}
