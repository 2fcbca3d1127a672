/** Somebody over a real connection who says exactly what it is told to say, and nothing else. */
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import { toHex } from '../../sim/hash/hex.ts'
import type { Connection, ConnectionEnd } from '../../transport/connection.ts'
import { until } from '../../transport/testing/recorder.ts'
import { dialWebSocket } from '../../transport/websocket-client.ts'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import type {
  MatchConfig,
  Message,
  MessageBody,
  MessageName,
} from '../../wire/messages/messages.ts'
import {
  decodeMessage,
  encodeMessage,
  helloMagic,
  protocols,
} from '../../wire/messages/messages.ts'
import { makeReturnProof, secretBytes } from '../../wire/messages/return-proof.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import { writeAction } from '../../wire/messages/room-actions.ts'
import { isRelayBundles } from '../../wire/ticks/relay-bundles.ts'

/** A peer whose every message is written by the test. */
export class RawPlayer {
  readonly messages: Message[] = []
  /** Packets with ticks that came. */
  tickPackets = 0
  end: ConnectionEnd | undefined
  readonly #connection: Connection
  readonly #channel: StreamChannel
  #ticket: Uint8Array | undefined

  private constructor(connection: Connection) {
    this.#connection = connection
    this.#channel = new StreamChannel(performance.now(), () => connection.backlogBytes)
    connection.open({
      handlePacket: (bytes) => this.#hear(bytes),
      handleClosed: (end) => {
        this.end = end
      },
    })
  }

  static async connect(url: string): Promise<RawPlayer> {
    return new RawPlayer(await dialWebSocket(url)())
  }

  /** Connects, and asks for a place. Resolves with the answer. */
  static async join(
    url: string,
    join: Partial<MessageBody<'ClientJoin'>> = {},
    hello: Partial<MessageBody<'ClientHello'>> = {},
  ): Promise<RawPlayer> {
    const player = await RawPlayer.connect(`${url}/?match=${encodeURIComponent(join.match ?? '')}`)
    player.say('ClientHello', {
      magic: helloMagic,
      protocols: [...protocols],
      gameId: 'raw',
      gameVersion: 1,
      fingerprint: new Uint8Array(32),
      ...hello,
    })
    player.#ticket = join.ticket
    player.say('ClientJoin', {
      match: 'raw',
      name: 'Raw',
      role: 'player',
      config: rawConfig,
      ticket: undefined,
      secret: rawSecret,
      nextTick: 1,
      token: undefined,
      software: undefined,
      ...join,
    })
    const isAnswered = () =>
      player.body('RelaySeated') ?? player.body('RelayRefuse') ?? player.body('RelayClose')
    await until(() => isAnswered() !== undefined || player.end !== undefined, 'an answer')
    return player
  }

  /** The newest message of a kind. */
  body<N extends MessageName>(name: N): MessageBody<N> | undefined {
    return this.messages.findLast((message) => message.name === name)?.body as
      | MessageBody<N>
      | undefined
  }

  say<N extends MessageName>(name: N, body: MessageBody<N>): void {
    this.#channel.sendControl(encodeMessage(name, body), performance.now())
    this.#flush()
  }

  act(action: RoomAction): void {
    this.say('ClientAct', writeAction(action))
  }

  /** Sends bytes on the lane of ticks. */
  sayTurn(bytes: Uint8Array): void {
    this.#channel.sendTick(bytes, performance.now())
    this.#flush()
  }

  /** Hangs up. */
  close(): void {
    this.#connection.close(1000, '')
  }

  #hear(bytes: Uint8Array): void {
    this.#channel.handlePacket(bytes, performance.now())
    for (let next = this.#channel.pollMessage(); next; next = this.#channel.pollMessage()) {
      if (isRelayBundles(next.bytes)) this.tickPackets += 1
      else this.#take(decodeMessage(next.bytes))
    }
  }

  #take(message: Message): void {
    this.messages.push(message)
    if (message.name !== 'RelayChallenge' || this.#ticket === undefined) return
    const proof = makeReturnProof(rawSecret, message.body.nonce, this.#ticket)
    this.say('ClientProof', { proof, isMove: false })
  }

  #flush(): void {
    for (let bytes = this.#channel.pollPacket(); bytes; bytes = this.#channel.pollPacket()) {
      this.#connection.send(bytes)
    }
  }
}

/** With which all of them prove who they are. */
const rawSecret = new Uint8Array(secretBytes).fill(5)

/** One seat, and no inputs. */
export const rawConfig: MatchConfig = makeMatchConfig({ seats: 1, tickRate: 30 })

/** A name that no other match has. */
export function newMatchName(): string {
  return `m${toHex(crypto.getRandomValues(new Uint8Array(8)))}`
}
