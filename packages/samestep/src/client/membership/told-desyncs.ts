import type { DesyncReport } from '../../desync/report.ts'
import { detectedReport, foundReport } from '../../desync/report.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { DesyncMessage } from './passed-on.ts'

/** One desync, as told so far. */
interface Told {
  /** The tick that it was told with; what is found out may lead back to an earlier one. */
  readonly tick: number
  report: DesyncReport
  /** What was found out last, as it came. */
  finding: string | undefined
}

/**
 * Puts together what the relay tells of desyncs. A second one may be told while the first is still
 * looked into, so each finding says which one it is about.
 */
export class ToldDesyncs {
  /** The newest last. */
  readonly #told: Told[] = []
  /** The newest one, as it came. */
  #words = ''

  /** The one that was told last, with what was found out about it. */
  get newest(): DesyncReport | undefined {
    return this.#told.at(-1)?.report
  }

  /** Gives the report if that is news: a relay tells again over every new link what it knows. */
  handle(message: DesyncMessage, policy: MatchConfig['desync'] | undefined) {
    return message.name === 'RelayDesync'
      ? this.#handleTold(message.body, policy)
      : this.#handleFound(message.body)
  }

  #handleTold(
    body: MessageBody<'RelayDesync'>,
    policy: MatchConfig['desync'] | undefined,
  ): DesyncReport | undefined {
    const words = JSON.stringify(body)
    if (words === this.#words) return undefined
    this.#words = words
    const report = detectedReport(body, policy)
    this.#told.push({ tick: body.tick, report, finding: undefined })
    if (this.#told.length > toldDesyncsMax) this.#told.shift()
    return report
  }

  #handleFound(body: MessageBody<'RelayFinding'>): DesyncReport | undefined {
    const told = this.#told.findLast(({ tick, report }) => {
      return tick === body.toldTick && !report.isSpectator
    })
    const finding = JSON.stringify(body)
    if (told === undefined || told.finding === finding) return undefined
    told.finding = finding
    told.report = foundReport(told.report, body)
    return told.report
  }
}

/** A relay tells three within ten seconds at most, while it may still look into one of before. */
export const toldDesyncsMax = 4
