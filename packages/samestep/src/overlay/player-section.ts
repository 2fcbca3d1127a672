import { make, makeSection, msText } from './elements.ts'
import type { OverlayMatch } from './overlay-match.ts'
import { playersOf } from './overlay-match.ts'

/** Every player as the relay sees them: round trip, ticks behind, sync, presence. */
export class PlayerSection {
  readonly element: HTMLElement
  readonly #rows = make('tbody')
  readonly #colorOf: (seat: number) => string
  #shown = ''

  constructor(colorOf: (seat: number) => string) {
    this.#colorOf = colorOf
    const head = ['', 'RTT', 'Behind', 'Sync', 'State'].map((text) => make('th', {}, text))
    this.element = makeSection(
      'players',
      ['Players'],
      make('table', {}, make('thead', {}, make('tr', {}, ...head)), this.#rows),
    )
  }

  update(match: OverlayMatch): void {
    const { room, seat: own, statistics } = match
    const rows = playersOf(room).map(({ seat, name, presence }) => {
      const stats = statistics.match?.seats.find((each) => each.seat === seat)
      const behind = stats === undefined ? '–' : String(stats.behindTicks)
      const label = seat === own ? `${name} (you)` : name
      return { seat, cells: [label, msText(stats?.rttMs), behind, syncOf(match, seat), presence] }
    })
    // The same rows ten times per second would make it impossible to select text.
    const text = JSON.stringify(rows)
    if (text === this.#shown) return
    this.#shown = text
    this.#rows.replaceChildren(
      ...rows.map(({ seat, cells: [label = '', ...others] }) => {
        const swatch = make('i', { className: 'swatch' })
        swatch.style.background = this.#colorOf(seat)
        const cells = others.map((other) =>
          make('td', { className: other === 'differs' ? 'bad' : '' }, other),
        )
        return make('tr', {}, make('td', {}, swatch, label), ...cells)
      }),
    )
  }
}

/** Whether a player's machine has the state that the others have. */
function syncOf({ statistics }: OverlayMatch, seat: number): string {
  const { desync, match } = statistics
  if (desync?.verdict.kind === 'culprit') {
    return desync.verdict.seats.includes(seat) ? 'differs' : 'same'
  }
  if (desync?.groups.some((seats) => seats.includes(seat))) return 'differs'
  return match !== undefined && match.comparedTick > 0 ? 'same' : '–'
}
