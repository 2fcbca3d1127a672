import { BundleHistory } from '../../desync/recent/bundle-history.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { historyBytesMax, historyTicksMax, tagsMax } from '../../wire/messages/recovery.ts'

/** What a client gives back of its match. */
export interface KeptHistory
  extends Pick<MessageBody<'ClientRecover'>, 'capsule' | 'tags' | 'firstTick'> {
  readonly bundles: readonly Uint8Array[]
}

/**
 * What a client keeps in case its relay is lost: the newest capsules, which it cannot read, and the
 * ticks of the last 20 s with the relay's tags on them. Bundles are not copied.
 */
export class RecoveryKeep {
  readonly #bundles: BundleHistory
  readonly #capsules: { readonly tick: number; readonly bytes: Uint8Array }[] = []
  readonly #tags: { readonly tick: number; readonly count: number; readonly tag: Uint8Array }[] = []

  constructor(tickRate: number) {
    const ticks = Math.min(Math.ceil((tickRate * keptMs) / 1_000), historyTicksMax)
    this.#bundles = new BundleHistory(ticks, historyBytesMax)
  }

  /** The oldest tick from which on all bundles are here that ran; one more than the newest for none. */
  get oldestTick(): number {
    return this.#bundles.oldestTick
  }

  handleTag({ tick, count, tag, capsule }: MessageBody<'RelayTag'>): void {
    this.#tags.push({ tick, count, tag })
    if (this.#tags.length > tagsMax) this.#tags.shift()
    if (capsule === undefined) return
    this.#capsules.push({ tick, bytes: capsule })
    if (this.#capsules.length > capsulesMax) this.#capsules.shift()
  }

  /** A tick ran. */
  noteRan(tick: number, bundle: Uint8Array): void {
    this.#bundles.note(tick, bundle)
  }

  /** The bundle of a tick that ran. */
  at(tick: number): Uint8Array | undefined {
    return this.#bundles.at(tick)
  }

  /** The relay is another one, with tags of its own. */
  forgetTags(): void {
    this.#tags.length = 0
    this.#capsules.length = 0
  }

  /** All that is here, up to a tick; `bundleAt` has what came and did not run. */
  give(haveTick: number, bundleAt: (tick: number) => Uint8Array | undefined): KeptHistory {
    // A capsule of a tick that we lack is of no use to anybody who could only go on from us.
    const capsule = this.#capsules.findLast(({ tick }) => tick <= haveTick)?.bytes ?? none
    const bundles: Uint8Array[] = []
    let first = haveTick + 1
    for (let bytes = 0; first > 1; first--) {
      const bundle = this.#bundles.at(first - 1) ?? bundleAt(first - 1)
      bytes += 2 + (bundle?.byteLength ?? 0)
      if (bundle === undefined || bytes > historyBytesMax) break
      if (bundles.length >= historyTicksMax) break
      bundles.push(bundle)
    }
    const tags = this.#tags.filter(
      ({ tick, count }) => tick - count + 1 >= first && tick <= haveTick,
    )
    return { capsule, tags, firstTick: first, bundles: bundles.reverse() }
  }
}

/** How long ticks are kept: much longer than capsules are apart. */
const keptMs = 20_000

/** Capsules that are kept: the newest may be of a tick that has not come yet. */
const capsulesMax = 3

const none = new Uint8Array(0)
