import { RecordWriter } from '../../record/writer.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { capsuleBytesMax, tagTicksMax } from '../../wire/messages/recovery.ts'
import type { Match } from '../match/match.ts'
import { MatchNotes } from '../record/match-notes.ts'
import { MatchRecorder } from '../record/match-recorder.ts'
import { type CapsuleCipher, nonceBytes } from './capsule-cipher.ts'

/**
 * Gives the members of one match what they keep for the relay's loss: a tag on the ticks of every second,
 * and a capsule whenever something changed that ticks do not tell, or the last one grew old.
 *
 *     ticks    ▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏▏
 *     tags              ▲         ▲    ▲       ▲
 *     capsules          ■              ■ somebody joined
 */
export class MatchTags {
  readonly #cipher: CapsuleCipher
  readonly #randomBytes: (count: number) => Uint8Array
  /** Sealed since the last tag. */
  readonly #bundles: Uint8Array[] = []
  #tickAfter = 1
  #recorder: MatchRecorder | undefined
  #revision = -1
  #capsuleTick = 0
  /** Not before that: a crowd that comes at once is told together. */
  #capsuleAtMs = Number.NEGATIVE_INFINITY

  constructor(cipher: CapsuleCipher, randomBytes: (count: number) => Uint8Array) {
    this.#cipher = cipher
    this.#randomBytes = randomBytes
  }

  /** A tick was sealed. */
  noteSealed(tick: number, bundle: Uint8Array): void {
    if (this.#bundles.length === 0) this.#tickAfter = tick
    this.#bundles.push(bundle)
  }

  /** Somebody is there who has none: the next capsule is due. */
  noteAttached(): void {
    this.#revision = -1
  }

  /** Sends what is due. Called after the match did something. */
  serve(match: Match, nowMs: number): void {
    const { room, sealer, config, log } = match
    if (match.phase !== 'running' || log.sealedTick === 0) return
    const revision = room.revision + sealer.eventsRevision
    const isOld = log.sealedTick - this.#capsuleTick >= capsuleEverySeconds * config.tickRate
    const isChanged = revision !== this.#revision && nowMs >= this.#capsuleAtMs
    const isFull = this.#bundles.length >= Math.min(match.ticksPerSecond, tagTicksMax)
    if (!isOld && !isChanged && !isFull) return
    const capsule = isOld || isChanged ? this.#makeCapsule(match, revision, nowMs) : undefined
    const tag = this.#cipher.tag(match.line.id, this.#tickAfter, this.#bundles)
    const count = this.#bundles.length
    this.#bundles.length = 0
    const message = encodeMessage('RelayTag', { tick: log.sealedTick, count, tag, capsule })
    for (const session of match.sessions) {
      // Without a state of its own it could not go on from any tick.
      if (!session.isWaitingForState) session.send(message, nowMs)
    }
  }

  #makeCapsule(match: Match, revision: number, nowMs: number): Uint8Array | undefined {
    this.#revision = revision
    this.#capsuleTick = match.log.sealedTick
    this.#recorder ??= new MatchRecorder(match, new MatchNotes())
    const writer = new RecordWriter(this.#randomBytes(8))
    writer.appendGroup(0, this.#recorder.capsule(nowMs))
    const capsule = this.#cipher.seal(writer.take(), this.#randomBytes(nonceBytes))
    const costMs = (capsule.byteLength * match.sessions.length) / capsuleBytesPerMs
    this.#capsuleAtMs = nowMs + Math.max(capsuleEveryMsMin, costMs)
    return capsule.byteLength <= capsuleBytesMax ? capsule : undefined
  }
}

/** How old a capsule may grow: clients keep the ticks since, and a bit more. */
const capsuleEverySeconds = 5

/** The shortest time between two, and bytes of them in a ms to all members together: 1.6 Mbit/s. */
const capsuleEveryMsMin = 100
const capsuleBytesPerMs = 200
