import { copyBytes } from '../../base/copy-bytes.ts'
import type { ChannelMessage } from '../../link/channel.ts'
import { isStateBytes } from '../join/state-message.ts'
import type { CarryingState, Link, LinkState } from './link-state.ts'

/*
 * How a session moves from a working link to another one, without losing, duplicating or reordering
 * anything that its client sends:
 *
 *     old   ── turns, wishes ──► taken in ──────────────────────────► closed by its client
 *     new           ── turns ──► taken in at once
 *                   ── states ─► taken in at once
 *                   ── wishes ─► held ─────────────────────────────► taken in now
 *
 * Turns carry their own numbers and may overtake each other. Wishes must be handled in sequence, so
 * those of the new link wait until the old one is closed or out of time. What is said about states has
 * its ticks in it; and that a state was loaded must come before the turns that follow from it.
 *
 * A client may move on while an older link is still heard: its farewell may be lost, and a datagram
 * channel with messages in flight sends none when it is dropped. Then each link waits for all those
 * before it, and keeps what it holds:
 *
 *     first ◄── behind ── second ◄── behind ── third
 *     heard               held                 held
 */

/** Makes a link take over from another one that works, whatever that one still waits for. */
export function takeOverFrom(link: Link, old: Link): void {
  link.behind = old
}

/**
 * Keeps a message that must wait for those of earlier links. Returns false if it need not wait, or if
 * there is no room.
 */
export function holdBack(link: Link, { lane, bytes }: ChannelMessage): boolean {
  if (!isAwaited(link.behind) || lane === 'tick' || lane === 'late') return false
  if (isStateBytes(bytes)) return false
  if (link.held.length >= heldMax) return false
  link.held.push(copyBytes(bytes))
  return true
}

/** The held messages of a link and those before it that need not wait any more, in sequence. */
export function takeHeld(link: Link): readonly Uint8Array[] {
  const { behind } = link
  if (behind === undefined) return none
  const earlier = takeHeld(behind)
  if (isAwaited(behind)) return earlier
  const { held } = link
  unblock(link)
  return [...earlier, ...held]
}

/** The link that carries the session is lost, and so is everything that waits to be taken in. */
export function dropHeld(link: Link): void {
  for (let next: Link | undefined = link; next !== undefined; ) {
    const { behind }: Link = next
    unblock(next)
    next = behind
  }
}

/** A link waits for no other one any more, and holds nothing. */
function unblock(link: Link): void {
  link.behind = undefined
  link.held = []
}

/** Whether messages of a link, or of one before it, may still come or be held. */
function isAwaited(link: Link | undefined): boolean {
  return isHeard(link) || link?.behind !== undefined
}

/** Whether what comes over a link is still taken in: while it says farewell, nothing is. */
function isHeard(link: Link | undefined): boolean {
  return link?.isOpen === true && carriedBy(link.state) !== undefined
}

/** The state of a link that carries a session, or did until another link took over. */
export function carriedBy(state: LinkState): CarryingState | undefined {
  return state.name === 'seated' || state.name === 'leaving' ? state : undefined
}

/**
 * Whether the client of a link has come back over another one since it left it. Its turns no longer
 * count: a page that was reloaded lacks the ticks that it had confirmed before.
 */
export function hasReturnedSince(state: CarryingState, timeMs: number): boolean {
  return state.name === 'leaving' && timeMs >= state.session.twoLinksUntilMs
}

const none: readonly Uint8Array[] = Object.freeze([])

/**
 * Messages that may wait: a client sends few of them in the seconds of a move, and its budget bounds
 * their bytes. One more overtakes those that wait, which is better than keeping everything.
 */
const heldMax = 256
