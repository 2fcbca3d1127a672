import type { Prng } from '../../base/prng.ts'
import type { Channel } from '../../link/channel.ts'
import type { MatchConfig, MessageBody } from '../../wire/messages/messages.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { World } from '../engine/world.ts'
import type { TurnForge } from './turn-forge.ts'

/** What an attack may use of whoever carries it out. */
export interface Attacker {
  readonly world: World
  readonly oracle: Oracle
  readonly config: MatchConfig
  readonly random: Prng
  readonly turns: TurnForge
  /** What the attacker's own clock says. */
  readonly timeMs: number
  /** The first packets that went out, for whoever sends them again. */
  readonly sent: readonly Uint8Array[]
  /** Sends what the channel has, which keeps only so much. */
  flush(): void
  /** Sends bytes past the channel. */
  sendRaw(bytes: Uint8Array): void
  /** Drops the link without a word, and opens another one after so many ms. */
  reconnect(afterMs: number): void
  /** Leaves whatever comes over a stream where it is. */
  stopReading(): void
}

/** What must become of an attacker: by which rule it is closed, and with which words. */
export interface AttackEnd {
  readonly rule: string
  readonly reasons: readonly string[]
  /** Attacks that a relay has to bear before; 20 when left out. */
  readonly misdeedsMin?: number
}

/** What an attacker says of itself when it asks for a place. */
export type Claim = Pick<MessageBody<'ClientJoin'>, 'ticket' | 'nextTick'>

/** One way to break a rule, again and again. */
export interface Attack {
  /** Breaks it once. Called now and then while the match runs and the attacker is in it. */
  act(channel: Channel): void
  /** How it ends, where that is known; the attacker may stay when left out. */
  readonly end?: AttackEnd
  /** Ticks came. */
  handleTicks?(bytes: Uint8Array): void
  /** What to claim at the next join; the attacker's own place when left out or `undefined`. */
  claim?(): Claim | undefined
  /** The proof to give; the right one when left out or `undefined`. */
  prove?(): Uint8Array | undefined
  /** It was given a place. */
  handleSeated?(): void
  /** Whether to come back after the link was closed; only until the match has begun when left out. */
  readonly comesBack?: boolean
  /** Whether it sends orders while it waits for the match; yes when left out. */
  readonly isSilentBefore?: boolean
}
