import { copyBytes } from '../../base/copy-bytes.ts'
import type { ChannelMessage } from '../../link/channel.ts'
import type { CarryingState, Link, LinkState } from './link-state.ts'

/*
 * How a session changes from a link that works to another one, without losing, doubling or reordering
 * anything that its client says:
 *
 *     old   ── turns, wishes ──► taken in ──────────────────────────► closed by its client
 *     new           ── turns ──► taken in at once
 *                   ── wishes ─► held ─────────────────────────────► taken in now
 *
 * Turns say what they are about and may overtake each other. Wishes count in their sequence, so those
 * of the new link wait until the old one is at its end, or out of time.
 */

/** Lets a link take over from another one that works. */
export function takeOverFrom(link: Link, old: Link): void {
  link.behind = old
  // Who moves on before the last move was over has waited long enough for the first link.
  link.held = old.held
  old.held = []
  old.behind = undefined
}

/** Keeps a message that has to wait for those of the link before. False when it need not, or cannot. */
export function holdBack(link: Link, { lane, bytes }: ChannelMessage): boolean {
  if (link.behind?.isOpen !== true || lane === 'tick' || lane === 'late') return false
  if (link.held.length >= heldMax) return false
  link.held.push(copyBytes(bytes))
  return true
}

/** What waited and need not any more. */
export function takeHeld(link: Link): readonly Uint8Array[] {
  if (link.behind === undefined || link.behind.isOpen) return none
  link.behind = undefined
  const { held } = link
  link.held = []
  return held
}

/** Whom a link carries, or carried until another one took over. */
export function carriedBy(state: LinkState): CarryingState | undefined {
  return state.name === 'seated' || state.name === 'leaving' ? state : undefined
}

const none: readonly Uint8Array[] = Object.freeze([])

/**
 * Messages that wait: a client says few of them in the seconds of a move, and its budget bounds their
 * bytes. One more would overtake those that wait, which is better than keeping everything.
 */
const heldMax = 256
