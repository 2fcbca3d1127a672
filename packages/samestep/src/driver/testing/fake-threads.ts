import type { ThreadChannel } from '../worker/join-match-in-worker.ts'
import type { ThreadPort } from '../worker/thread-port.ts'

type Listener = (event: { readonly data: unknown }) => void

/**
 * One end of a line between two threads that are one: what is posted is cloned, as between real ones,
 * and heard in a microtask, so that it keeps virtual time.
 */
export class FakePort {
  readonly #listeners = new Map<string, Set<Listener>>()
  #early: unknown[] | undefined = []
  #other: FakePort | undefined
  #isClosed = false
  /** While it is set, nothing is heard: the thread behind it hangs. */
  #isHanging = false
  readonly #waiting: unknown[] = []
  /** What came, in sequence. */
  readonly received: unknown[] = []

  static pair(): readonly [FakePort, FakePort] {
    const [left, right] = [new FakePort(), new FakePort()]
    left.#other = right
    right.#other = left
    return [left, right]
  }

  postMessage(message: unknown, transfer: readonly unknown[] = []): void {
    if (this.#isClosed) return
    const ports = transfer.filter((item) => item instanceof FakePort)
    const data = cloneMessage(
      message,
      transfer.filter((item) => !(item instanceof FakePort)),
      ports,
    )
    queueMicrotask(() => {
      if (this.#other !== undefined) this.#other.#receive(data)
    })
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type) ?? new Set()
    listeners.add(listener)
    this.#listeners.set(type, listeners)
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener)
  }

  start(): void {
    const early = this.#early ?? []
    this.#early = undefined
    for (const data of early) this.#receive(data)
  }

  close(): void {
    this.#isClosed = true
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The thread behind this end hangs, or does so no longer. */
  setHanging(isHanging: boolean): void {
    this.#isHanging = isHanging
    if (!isHanging) for (const data of this.#waiting.splice(0)) this.#receive(data)
  }

  /** Lets something happen that no message is. */
  emit(type: string, event: object = {}): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(event as never)
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return
    if (this.#early !== undefined) this.#early.push(data)
    else if (this.#isHanging) this.#waiting.push(data)
    else {
      this.received.push(data)
      this.emit('message', { data })
    }
  }
}

/** As threads do it, but for ports, which stay what they are. */
function cloneMessage(
  message: unknown,
  transfer: readonly unknown[],
  ports: readonly unknown[],
): unknown {
  if (ports.length === 0) return structuredClone(message, { transfer: transfer as ArrayBuffer[] })
  const { port, ...rest } = message as { readonly port: unknown }
  return { ...structuredClone(rest), port }
}

/** A page, a worker, and the lines that were opened between them. */
export class FakeThreads {
  /** What the page holds. */
  readonly worker: ThreadPort & FakePort
  /** What the worker listens to. */
  readonly scope: ThreadPort & FakePort
  /** The ends of the lines that the page kept, and those that it gave away. */
  readonly pagePorts: FakePort[] = []
  readonly workerPorts: FakePort[] = []

  constructor() {
    const [worker, scope] = FakePort.pair()
    this.worker = worker as ThreadPort & FakePort
    this.scope = scope as ThreadPort & FakePort
  }

  readonly openChannel = (): ThreadChannel => {
    const [port1, port2] = FakePort.pair()
    this.pagePorts.push(port1)
    this.workerPorts.push(port2)
    return { port1, port2 } as unknown as ThreadChannel
  }
}
