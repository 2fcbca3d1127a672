import type { LinkEnd } from './network/link.ts'

/**
 * A process of the simulated world. It sees only its own local clock, and the world only through
 * what it is told: never through a shared object.
 *
 * After every call the world asks {@link wakeAtMs} again. Nothing is called from inside a call: what
 * an actor sends or opens comes back as a later event.
 */
export interface Actor {
  /** Something arrived. The actor owns the bytes from now on. */
  handlePacket(end: LinkEnd, bytes: Uint8Array, nowMs: number): void
  /** Another node opened a link to this one, or this node's own `connect` succeeded. */
  handleLinkOpened?(end: LinkEnd, nowMs: number): void
  /** The link died, was refused, or the other side closed it. Never follows an own `closeLink`. */
  handleLinkClosed?(end: LinkEnd, nowMs: number): void
  handleTime(nowMs: number): void
  /** Local time of the next wake-up; `Infinity` for never. Changes nothing. */
  wakeAtMs(): number
}
