import type { CloseReason } from '../../wire/codes.ts'
import { closeCodes } from '../../wire/codes.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import type { MatchTable } from '../match/match-table.ts'
import type { RelayOutputs } from '../relay-outputs.ts'
import type { Refusal } from './door.ts'
import { clip } from './door.ts'
import { dropHeld } from './handover.ts'
import type { Link } from './link-state.ts'
import { farewellMsMax } from './link-state.ts'
import type { LinkTable } from './link-table.ts'

/**
 * How links end: with a reason, or silently. A session that was carried waits for its player, unless
 * its match has removed it.
 *
 *     refuse, close ──► ending (datagrams: until the farewell is confirmed, 3 s at most) ──► gone
 *                          └ streams: at once
 */
export class LinkEndings {
  readonly #links: LinkTable
  readonly #matches: MatchTable
  readonly #outputs: RelayOutputs

  constructor(links: LinkTable, matches: MatchTable, outputs: RelayOutputs) {
    this.#links = links
    this.#matches = matches
    this.#outputs = outputs
  }

  /** Refuses a client, and says why. */
  refuse(link: Link, because: Refusal, timeMs: number): void {
    link.channel.sendControl(encodeMessage('RelayRefuse', because), timeMs)
    this.end(link, closeCodes[because.reason as CloseReason], timeMs)
  }

  /** Closes a link, and says why it or its session is over. */
  close(link: Link, reason: CloseReason, message: string, timeMs: number): void {
    if (link.state.name === 'ending') return
    const body = { reason, message: clip(message, 200) }
    link.channel.sendControl(encodeMessage('RelayClose', body), timeMs)
    this.end(link, closeCodes[reason], timeMs)
  }

  /** Ends a link with a close code, but no message. */
  end(link: Link, code: number, timeMs: number): void {
    if (link.state.name === 'ending') return
    link.channel.close(code, timeMs)
    this.flush(link)
    this.#letGo(link, timeMs)
    this.#links.settle(link, { name: 'ending', code, untilMs: timeMs + farewellMsMax })
    if (link.channel.kind === 'stream') this.finish(link, code, timeMs)
  }

  /** Tells the transport to close the link: everything was sent, or there is no more time for it. */
  finish(link: Link, code: number, timeMs: number): void {
    if (!link.isOpen) return
    this.#outputs.push({ type: 'close', link: link.id, code })
    this.forget(link, timeMs)
  }

  /** Forgets a link. A session that it carried waits for its player to come back. */
  forget(link: Link, timeMs: number): void {
    if (!link.isOpen) return
    // Detach first: turns that arrived over the link are still queued, and count.
    this.#letGo(link, timeMs)
    this.#links.forget(link)
  }

  /** Sends what a channel has queued. */
  flush(link: Link): void {
    const { channel, id } = link
    for (let bytes = channel.pollPacket(); bytes; bytes = channel.pollPacket()) {
      this.#outputs.pushSend(id, bytes)
    }
    this.#links.timers.schedule(link)
  }

  #letGo(link: Link, timeMs: number): void {
    const { state, id } = link
    if (state.name !== 'seated' || state.session.link !== id) return
    dropHeld(link)
    state.match.handleDetached(state.session, timeMs)
    this.#matches.noteMoved(state.match, timeMs)
  }
}
