import { WireError } from '../../base/errors.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import { encodeMessage, helloMagic, protocols } from '../../wire/messages/messages.ts'

/** A client's first words. */
export function encodeHello(game: {
  readonly id: string
  readonly version: number
  readonly fingerprint: string
}): Uint8Array {
  return encodeMessage('ClientHello', {
    magic: helloMagic,
    protocols: [...protocols],
    gameId: game.id,
    gameVersion: game.version,
    fingerprint: fromHex(game.fingerprint),
  })
}

/** @throws WireError for a message that no relay sends. */
export function checkRelayMessage(name: string): void {
  if (name.startsWith('Relay')) return
  throw new WireError('SS_WIRE_UNKNOWN', 0, `Cannot accept a ${name} from a relay`)
}
