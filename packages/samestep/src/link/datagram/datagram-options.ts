import { UsageError } from '../../base/errors.ts'
import { datagramBytesMax } from '../../wire/limits.ts'
import { datagramBytesMin, silenceMsDefault, silenceMsLimit } from '../limits.ts'
import type { LinkSide } from './packet-format.ts'

/** How a datagram channel is made. Both ends must agree on all but the last two. */
export interface DatagramOptions {
  /** Names this conversation, 0 to 65 535, so that packets of an earlier one are not taken for it. */
  readonly epoch: number
  /** Who began: the side that chose the epoch is the initiator. */
  readonly side: LinkSide
  /** Whether packets carry a CRC-32, as they do unless the transport authenticates them. */
  readonly checksum?: boolean
  /** Where all counts begin, 0 to 65 535; for tests of what happens when they wrap. */
  readonly firstNumber?: number
  /** Bytes of the largest datagram that the path carries, 300 to 1 200, which is the default. */
  readonly packetBytesMax?: number
  /** How long the other side may be silent before the channel is lost; 60 s, at most an hour. */
  readonly silenceMsMax?: number
}

/**
 * Fills in what was left out.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a number outside its range.
 */
export function completeOptions(options: DatagramOptions): Required<DatagramOptions> {
  const complete = {
    checksum: true,
    firstNumber: 0,
    packetBytesMax: datagramBytesMax,
    silenceMsMax: silenceMsDefault,
    ...options,
  }
  checkRange('epoch', complete.epoch, 0, 0xffff)
  checkRange('first number', complete.firstNumber, 0, 0xffff)
  checkRange('packet size', complete.packetBytesMax, datagramBytesMin, datagramBytesMax)
  checkRange('silence', complete.silenceMsMax, 1, silenceMsLimit)
  return complete
}

function checkRange(what: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot open a channel: its ${what} is ${value}; it must be an integer from ${min} to ${max}`,
  )
}
