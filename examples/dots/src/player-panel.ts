import { make, makeSwatch } from './elements.ts'
import { msText } from './line-panel.ts'
import { playersOf, type ShownMatch } from './shown-match.ts'

/** What the relay writes where it does not know a round trip yet. */
const unknownMs = 65_535

/** Everybody in the match, as the relay sees them. */
export class PlayerPanel {
  readonly element: HTMLElement
  readonly #rows = make('tbody')
  #shown = ''

  constructor() {
    const head = ['', 'RTT', 'Behind', 'State'].map((text) => make('th', {}, text))
    this.element = make(
      'section',
      { id: 'players' },
      make('h2', {}, 'Players'),
      make('table', {}, make('thead', {}, make('tr', {}, ...head)), this.#rows),
    )
  }

  update({ room, seat: own, statistics }: ShownMatch): void {
    const rows = playersOf(room).map(({ seat, name, presence }) => {
      const stats = statistics.match?.seats.find((each) => each.seat === seat)
      const rtt = stats === undefined || stats.rttMs === unknownMs ? undefined : stats.rttMs
      const behind = stats === undefined ? '–' : String(stats.behindTicks)
      const label = seat === own ? `${name} (you)` : name
      return { seat, cells: [label, msText(rtt), behind, presence] }
    })
    // Ten times a second the same rows again would make selecting text impossible.
    const text = JSON.stringify(rows)
    if (text === this.#shown) return
    this.#shown = text
    this.#rows.replaceChildren(
      ...rows.map(({ seat, cells: [label = '', ...others] }) =>
        make(
          'tr',
          {},
          make('td', {}, makeSwatch(seat), label),
          ...others.map((other) => make('td', {}, other)),
        ),
      ),
    )
  }
}
