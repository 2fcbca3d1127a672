/**
 * Whether a session has moved. A home router forgets a mapping, a phone leaves the Wi-Fi: the next
 * authentic packet comes from somewhere else. Or a bystander copied it and sent it faster from a
 * forged address. Only who receives what is sent there can tell (T-09):
 *
 *     old path   ════════════════ replies stay here ═══════════╗
 *     new path   packet ──►   ◄── challenge   response ──►     ╚══ and move now
 *
 * What goes to the new path before is never more than what came from it (I-15).
 */
import { timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from './crypto/x25519.ts'
import { pathChallengeBytes, pathLifeMs, pathRetryMs, rebindsPerSecondMax } from './limits.ts'
import { isSameAddress, type UdpAddress } from './udp-format.ts'

/** A path that has not answered yet. */
interface Candidate {
  readonly address: UdpAddress
  readonly data: Uint8Array
  readonly untilMs: number
  /** Bytes that came from there and were not spent on challenges yet. */
  budgetBytes: number
  retryAtMs: number
}

/** Probes one new path at a time. */
export class PathProbe {
  readonly #random: RandomBytes
  #candidate: Candidate | undefined
  /** When the last attempts began, the oldest first. */
  readonly #startedAtMs: number[] = []

  constructor(random: RandomBytes) {
    this.#random = random
  }

  /**
   * An authentic packet came from `from`, which is not the path in use. False when that happens too
   * often: then the packet must not count.
   */
  handlePacket(from: UdpAddress, bytes: number, isNewest: boolean, nowMs: number): boolean {
    const candidate = this.#candidateAt(from, nowMs)
    if (candidate !== undefined) {
      candidate.budgetBytes += bytes
      return true
    }
    // Overtaken: a straggler from the path before, which is no reason to go back there.
    if (!isNewest) return true
    const started = this.#startedAtMs
    while (started.length > 0 && nowMs - started[0]! >= 1_000) started.shift()
    if (started.length >= rebindsPerSecondMax) return false
    started.push(nowMs)
    this.#candidate = {
      address: { address: from.address, port: from.port },
      data: this.#random(pathChallengeBytes),
      untilMs: nowMs + pathLifeMs,
      budgetBytes: bytes,
      retryAtMs: nowMs,
    }
    return true
  }

  /** What to ask the new path now, if it is time and a datagram of `bytes` may go there. */
  pollChallenge(
    bytes: number,
    nowMs: number,
  ): { readonly data: Uint8Array; readonly to: UdpAddress } | undefined {
    const candidate = this.#candidate
    if (candidate === undefined || nowMs < candidate.retryAtMs || nowMs >= candidate.untilMs) {
      return undefined
    }
    if (bytes > candidate.budgetBytes) return undefined
    candidate.budgetBytes -= bytes
    candidate.retryAtMs = nowMs + pathRetryMs
    return { data: candidate.data, to: candidate.address }
  }

  /** The address, if this is the answer from where the challenge was sent to. */
  handleResponse(data: Uint8Array, from: UdpAddress, nowMs: number): UdpAddress | undefined {
    const candidate = this.#candidateAt(from, nowMs)
    if (candidate === undefined || !timingSafeEqual(candidate.data, data)) return undefined
    this.#candidate = undefined
    return candidate.address
  }

  #candidateAt(from: UdpAddress, nowMs: number): Candidate | undefined {
    const candidate = this.#candidate
    if (candidate === undefined || nowMs >= candidate.untilMs) return undefined
    return isSameAddress(candidate.address, from) ? candidate : undefined
  }
}
