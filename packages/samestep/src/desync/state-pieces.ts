import { WireError } from '../base/errors.ts'
import { deflate } from '../sim/snapshot/deflate.ts'
import { inflate } from '../sim/snapshot/inflate.ts'
import type { ProbeAnswer } from '../wire/messages/desync-probes.ts'
import { probePieceBytes, probePiecesMax } from '../wire/messages/desync-probes.ts'

/** A piece of a state, as it travels and as a report keeps it. */
export type StatePiece = ProbeAnswer<'piece'>

/** How many pieces so many bytes are. */
export function pieceCount(bytes: number): number {
  return Math.ceil(bytes / probePieceBytes)
}

/** One piece of these bytes; `undefined` behind their end. */
export function cutPiece(bytes: Uint8Array, index: number): StatePiece | undefined {
  const plain = bytes.slice(index * probePieceBytes, (index + 1) * probePieceBytes)
  if (plain.byteLength === 0) return undefined
  const deflated = deflate(plain)
  const isDeflated = deflated.byteLength < plain.byteLength
  return { isDeflated, content: isDeflated ? deflated : plain }
}

/** All pieces of these bytes; `undefined` where they are more than a report keeps. */
export function cutPieces(bytes: Uint8Array): StatePiece[] | undefined {
  const count = pieceCount(bytes.byteLength)
  if (count > probePiecesMax) return undefined
  return Array.from({ length: count }, (_, index) => cutPiece(bytes, index) as StatePiece)
}

/**
 * What pieces were cut from.
 *
 * @throws WireError for pieces that are not as long as they should be.
 */
export function joinPieces(byteLength: number, pieces: readonly StatePiece[]): Uint8Array {
  if (pieces.length !== pieceCount(byteLength))
    fail(`${pieces.length} pieces of ${byteLength} bytes`)
  const bytes = new Uint8Array(byteLength)
  pieces.forEach(({ isDeflated, content }, index) => {
    const at = index * probePieceBytes
    const length = Math.min(byteLength - at, probePieceBytes)
    const plain = isDeflated ? inflate(content, length) : content
    if (plain.byteLength !== length) fail(`a piece of ${plain.byteLength} bytes, not ${length}`)
    bytes.set(plain, at)
  })
  return bytes
}

function fail(why: string): never {
  throw new WireError('SS_WIRE_MISMATCH', 0, `Cannot put a state together: ${why}`)
}
