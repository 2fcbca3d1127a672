/** What an attack is, and what is known once it is over. */
import type { Standing } from '../loopback/watched-relay.ts'

/** Whom to attack, and how hard. */
export interface Target extends Force {
  readonly port: number
  /** Where UDP clients go, if there is UDP. */
  readonly udp: string | undefined
  /** Says that everything is prepared: the measuring begins. */
  begin(): void
}

/** How hard to attack. */
export interface Force {
  readonly seconds: number
  readonly sockets: number
  /** Addresses of the attacker, none of which is the player's. */
  readonly addresses: number
  /** How many attackers share the work. */
  readonly processes: number
}

/** What an attacker did, in numbers with names. Of several, names with `longest` or `most` are not added. */
export type AttackResult = Readonly<Record<string, number>>

/** One way to attack, against a relay that is started for it. */
export interface AttackCase {
  /** What is special about it, such as `/health at 600 KB/s`. */
  readonly title: string
  /** What the relay is started with, beside a port. */
  readonly flags: readonly string[]
  readonly hasPages?: boolean
  /** It does not come to its end in less; longer is up to `--seconds`. */
  readonly secondsMin?: number
  /** Calls `begin` by itself, after what it needs first; otherwise it begins at once. */
  readonly isPrepared?: boolean
  /** Runs in a process of its own until the time is up, and lets go of everything. */
  run(target: Target): Promise<AttackResult>
  /** What must hold. */
  promises(outcome: Outcome): readonly Promised[]
}

/** A command of the tool. */
export interface Attack {
  readonly name: string
  /** What it does, for the help. */
  readonly what: string
  readonly cases: readonly AttackCase[]
}

/** How far apart ticks came, and what the relay spent. */
export interface Measured {
  readonly ticks: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** The same of a timer of 33 ms in the measuring process: what the machine itself adds. */
  readonly timerP99: number
  /** Of one core, by all processes of the relay. */
  readonly cpu: number
  /** The largest resident size of all processes of the relay. */
  readonly peakMib: number
}

/** Requests that an honest client made again and again during an attack. */
export interface Probed {
  readonly asked: number
  readonly failed: number
  readonly longestMs: number
}

/** Everything that is known about an attack when it is over. */
export interface Outcome {
  readonly did: AttackResult
  readonly before: Measured
  readonly meanwhile: Measured
  readonly after: Measured
  readonly isAlive: boolean
  /** `undefined` when nobody could say. */
  readonly faults: number | undefined
  /** How the honest player's connections ended. */
  readonly cuts: readonly string[]
  /** How long a player took to come in during the attack; `undefined` for longer than 10 s. */
  readonly joinMs: number | undefined
  readonly health: Probed
  readonly pages: Probed
  /** The most matches that `/health` told of. */
  readonly matchesMost: number
  readonly linksMost: number
  /** What the relay held before, and long after. */
  readonly idle: Standing
  readonly rest: Standing | undefined
  /** How long after the attack it was back to that. */
  readonly restSeconds: number
  /** Loads of pages at the same time, after the attack. */
  readonly loads: readonly number[]
  readonly exitCode: number | null
}

/** Something that must hold, and whether it did. */
export interface Promised {
  readonly what: string
  readonly isKept: boolean
}
