import { copyBytes } from '../../base/copy-bytes.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../connection.ts'

/** How long a test waits for what must happen. Long, because the machine may be busy. */
const patienceMs = 20_000

/** Resolves as soon as `isTrue` holds; fails after a long time, and says what was awaited. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  awaited: string,
): Promise<void> {
  const untilMs = performance.now() + patienceMs
  while (!(await isTrue())) {
    if (performance.now() > untilMs) throw new Error(`Waited in vain for ${awaited}`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** Lets everything that is on its way in this process arrive: for tests that nothing happens. */
export async function pauseMs(durationMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, durationMs))
}

/** Opens a connection and writes down all that it hears. */
export class Recorder implements ConnectionHandler {
  /** Copies of the packets: the originals are only lent. */
  readonly packets: Uint8Array[] = []
  readonly ends: ConnectionEnd[] = []
  /** Packets that came after the end, or inside a call to the connection: always 0. */
  violations = 0
  /** Called for each packet, after it was written down. */
  onPacket: (bytes: Uint8Array) => void = () => {}
  readonly #connection: Connection
  #depth = 0
  #isCalling = false

  constructor(connection: Connection) {
    this.#connection = connection
    this.#call(() => connection.open(this))
  }

  handlePacket(bytes: Uint8Array): void {
    if (this.#isCalling || this.#depth > 0 || this.ends.length > 0) this.violations++
    this.#depth++
    this.packets.push(copyBytes(bytes))
    this.onPacket(bytes)
    this.#depth--
  }

  handleClosed(end: ConnectionEnd): void {
    if (this.#isCalling || this.#depth > 0) this.violations++
    this.ends.push(end)
  }

  send(packet: Uint8Array): void {
    this.#call(() => this.#connection.send(packet))
  }

  close(code: number, reason: string): void {
    this.#call(() => this.#connection.close(code, reason))
  }

  /** Waits until a packet with these bytes was heard. */
  async heard(packet: Uint8Array): Promise<void> {
    const isHeard = () => this.packets.some((other) => Buffer.compare(other, packet) === 0)
    await until(isHeard, `a packet of ${packet.length} bytes`)
  }

  async ended(): Promise<ConnectionEnd> {
    await until(() => this.ends.length > 0, 'the end of a connection')
    return this.ends[0]!
  }

  #call(action: () => void): void {
    const wasCalling = this.#isCalling
    this.#isCalling = true
    action()
    this.#isCalling = wasCalling
  }
}
