/**
 * Shows what the network does, over any game: one call, no framework, no style of the page's.
 *
 *     state     playing, paused by Ada, catching up with a progress bar
 *     ticks     simulated, sealed and input, as a bar
 *     line      round trip and jitter over time, delay, buffer, bytes
 *     players   round trip, ticks behind, sync and presence of each
 *     sync      the hash as colours; where a desync is, and why
 *     faults    what the game's code threw
 *     sliders   a worse line, where a conditioner is given
 */
import { ConditionerSection } from './conditioner-section.ts'
import { describePlayState } from './describe-play-state.ts'
import { make, setText } from './elements.ts'
import { FaultSection } from './fault-section.ts'
import { LineSection } from './line-section.ts'
import type { OverlayLine, OverlayMatch } from './overlay-match.ts'
import { PlayerSection } from './player-section.ts'
import { style } from './style.ts'
import { SyncSection } from './sync-section.ts'
import { TickSection } from './tick-section.ts'

/** Numbers that change faster cannot be read. */
const updateEveryMs = 100

/** The `HTMLElement` of a page; any object in a program compiled without the DOM's types. */
export type PageElement = typeof globalThis extends {
  readonly HTMLElement: { readonly prototype: infer E }
}
  ? E
  : object

/** The options of an overlay. */
export interface OverlayOptions {
  /** The element to put it into. By default it floats in the upper right corner of the page. */
  readonly parent?: PageElement
  /** Shows sliders for this conditioner, for development. Pass the one that the match was joined with. */
  readonly conditioner?: OverlayLine
  /** The CSS colour of each player. Defaults to eight colours in turn. */
  readonly seatColor?: (seat: number) => string
  /** Whether it starts unfolded, which is the default, or as one line that a click unfolds. */
  readonly isOpen?: boolean
}

/** An overlay on the page. */
export interface Overlay {
  /** Its element, with all content in an open shadow root. Set `hidden` to hide it temporarily. */
  readonly element: PageElement
  /** Removes the overlay. The match continues. */
  close(): void
}

/**
 * Shows an overlay with the state and figures of a match. It reads the match ten times per second and
 * changes nothing in it; the sliders change only the conditioner. It stays after the match ends, until
 * `close` is called.
 *
 * @example
 * ```ts
 * import { showOverlay } from 'samestep/overlay'
 *
 * const match = await joinMatch(game, { url, match: 'friday', conditioner })
 * if (import.meta.env.DEV) showOverlay(match, { conditioner })
 * ```
 */
export function showOverlay(match: OverlayMatch, options: OverlayOptions = {}): Overlay {
  const { parent, conditioner, seatColor = usualColor, isOpen = true } = options
  const faults = new FaultSection(match)
  const sliders = conditioner && new ConditionerSection(conditioner)
  const sections = [new TickSection(), new LineSection(), new PlayerSection(seatColor)]
  const sync = new SyncSection()
  const head = new Head(isOpen)
  const elements = [...sections, sync, faults, ...(sliders ? [sliders] : [])]
  const body = make('div', { hidden: !isOpen }, ...elements.map(({ element }) => element))
  head.button.addEventListener('click', () => {
    body.hidden = !body.hidden
    head.button.ariaExpanded = String(!body.hidden)
  })
  const element = make('div', { className: parent ? '' : 'floating' })
  element.dataset.samestep = 'overlay'
  const root = element.attachShadow({ mode: 'open' })
  root.append(make('style', {}, style), make('main', {}, head.button, head.progress, body))
  const update = () => {
    head.update(match)
    for (const section of [...sections, sync]) section.update(match)
  }
  update()
  const timer = setInterval(update, updateEveryMs)
  ;(parent ?? document.body).append(element)
  return {
    element,
    close() {
      clearInterval(timer)
      faults.undo()
      sliders?.close()
      element.remove()
    },
  }
}

/** The first line: how the match is doing, and how far it has caught up. */
class Head {
  readonly button: HTMLButtonElement
  readonly progress = make('progress', { hidden: true, max: 1 })
  readonly #pill = make('span', { className: 'pill' })

  constructor(isOpen: boolean) {
    this.#pill.setAttribute('role', 'status')
    this.button = make('button', { type: 'button' }, 'Samestep', this.#pill)
    this.button.ariaExpanded = String(isOpen)
    this.button.title = 'Shows or hides the rest'
  }

  update(match: OverlayMatch): void {
    const { text, level } = describePlayState(match)
    setText(this.#pill, text)
    this.#pill.className = `pill ${level}`
    const share = progressOf(match)
    this.progress.hidden = share === undefined
    if (share !== undefined) this.progress.value = share
  }
}

/** How much of a download or of catching up is done, 0 to 1; `undefined` where neither is going on. */
function progressOf(match: OverlayMatch): number | undefined {
  const state = match.playState()
  if (state.name === 'catching-up') return state.progress
  if (state.name !== 'downloading' && state.name !== 'resyncing') return undefined
  return state.bytesTotal ? state.bytes / state.bytesTotal : 0
}

/** Eight colours that can be told apart on light and dark ground. */
const colors = [
  '#2f6bf0',
  '#e8542c',
  '#189a5b',
  '#a13fd0',
  '#0c93ab',
  '#cf2f74',
  '#8a8f2c',
  '#8b7b6d',
]

function usualColor(seat: number): string {
  return colors[seat % colors.length] as string
}
