import type { Room } from '../../../room/room.ts'
import type { HashComparer } from '../hashes/hash-comparer.ts'
import type { Departures } from '../people/departures.ts'
import type { Session } from '../session.ts'
import type { TickCore, TickHost } from './tick-core.ts'

/** What stands around the ticks of a match; asked for when it is needed, since ticks are made first. */
export interface Surroundings {
  ticks(): TickCore
  room(): Room
  hashes(): HashComparer
  departures(): Departures
  neededTick(): number
}

/** How ticks reach the people of their match. */
export function makeTickHost({
  ticks,
  room,
  hashes,
  departures,
  neededTick,
}: Surroundings): Omit<TickHost, 'makeUpMs' | 'emit' | 'randomWord'> {
  return {
    neededTick,
    steer(nowMs) {
      const { sealer, watch } = ticks()
      if (watch.steer(sealer, room().pace, nowMs)) room().settle(nowMs)
    },
    takeStats(nowMs) {
      const { log, watch, view } = ticks()
      return watch.takeStats(room().pace, hashes(), log.sealedTick, nowMs, view?.visibleTick)
    },
    showWaiting: (seats: readonly number[]) => room().showWaiting(seats),
    expelBehind: (session: Session, nowMs: number) => departures().expelBehind(session, nowMs),
  }
}
