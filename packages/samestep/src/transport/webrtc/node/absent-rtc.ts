/**
 * What stands at `/rtc` of a relay without WebRTC. A page cannot ask whether a WebSocket would open
 * without a red line in its console if it does not; so it opens, says that there is no WebRTC, and ends.
 * A client that would have preferred WebRTC is on its WebSocket one round trip later.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { guardEntrance } from '../../entrance.ts'
import { refusalStatus, UpgradeGuard, type UpgradeGuardOptions } from '../../node/upgrade-guard.ts'
import { signallingPath } from '../web-socket-pipe.ts'
import { refuseSignalling } from './refuse-signalling.ts'
import { makeSignallingServer, SignallingSocket } from './signalling-socket.ts'

/** Why a client is sent away. Part of the message of its `ConnectError`. */
export const absentReason = 'This relay has no WebRTC'

/** Says at `/rtc` that there is no WebRTC. */
export class AbsentRtc {
  readonly #guard: UpgradeGuard
  readonly #sockets: WebSocketServer = makeSignallingServer()
  readonly #onFault: (error: unknown, remote: string) => void

  constructor(options: UpgradeGuardOptions, onFault: (error: unknown, remote: string) => void) {
    this.#guard = new UpgradeGuard({ ...options, origins: 'any', path: signallingPath })
    this.#onFault = onFault
  }

  /** Takes an upgrade, or returns false when it is for somebody else's path. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!this.#guard.isOurs(request)) return false
    const address = this.#guard.addressOf(request)
    const refusal = this.#guard.judge(request, address)
    if (refusal !== undefined) {
      refuseSignalling(socket, refusalStatus[refusal])
      return true
    }
    const handleFault = (error: unknown): void => {
      socket.destroy()
      this.#onFault(error, address)
    }
    const send = guardEntrance((webSocket: WebSocket) => {
      // Counted until it is gone, which takes two seconds at most.
      webSocket.on('close', guardEntrance(this.#guard.admit(address), handleFault))
      new SignallingSocket(webSocket, handleFault).refuse(absentReason)
    }, handleFault)
    guardEntrance(() => this.#sockets.handleUpgrade(request, socket, head, send), handleFault)()
    return true
  }
}
