import type { OrderEnd } from 'samestep'
import { ConditionerPanel } from './conditioner-panel.ts'
import { CursorPanel } from './cursor-panel.ts'
import { make, makeSwatch } from './elements.ts'
import type { Line } from './line.ts'
import { LinePanel } from './line-panel.ts'
import { inviteTo } from './link.ts'
import { describeFlow, Notice } from './notice.ts'
import { PlayerPanel } from './player-panel.ts'
import { playersOf, type ShownMatch } from './shown-match.ts'
import { SyncPanel } from './sync-panel.ts'

/** Numbers that change faster cannot be read. */
const updateEveryMs = 100

/** How long a short message stays. */
const toastMs = 1_800

const find = (id: string) => document.getElementById(id) as HTMLElement

/** Everything on the page but the game: who plays, how the match flows, and what the network does. */
export class Overlay {
  readonly #sync = new SyncPanel()
  readonly #panels = [this.#sync, new CursorPanel(), new LinePanel(), new PlayerPanel()]
  readonly #notice = new Notice(find('notice'))
  #match: ShownMatch | undefined
  #name = ''
  #updatedMs = Number.NEGATIVE_INFINITY
  #toastTimer: ReturnType<typeof setTimeout> | undefined
  #scores = ''

  constructor(line: Line) {
    const panels = this.#panels.map(({ element }) => element)
    find('panel').append(...panels)
    find('hint').after(new ConditionerPanel(line).element)
  }

  /** From now on this match is shown, which is called `name`. */
  show<M extends ShownMatch>(match: M, name: string): M {
    this.#match = match
    this.#name = name
    // Whoever copies the address invites to this very match; a reload looks for it first.
    history.replaceState(null, '', inviteTo(name, location.href))
    match.on('fallback', ({ from, to }) =>
      this.#toast(`${from} does not get through: ${to} is used`),
    )
    match.on('fault', ({ where, name, tick, count, error }) => {
      find('problem').textContent =
        `${where} '${name}' threw at tick ${tick} (${count} so far): ${error}`
    })
    match.on('closed', ({ reason, message }) => {
      this.#notice.showEnd('The match is over', message || reason)
      this.#update()
    })
    // For the browser's console: match.statistics, match.room, match.simulation.
    Object.assign(globalThis, { match })
    return match
  }

  /** Offers to break this machine's state: see {@link SyncPanel.offerFlip}. */
  offerFlip(flip: () => void): void {
    this.#sync.offerFlip(flip)
  }

  /** The match could not be joined: says so, and throws on. */
  readonly complain = (error: unknown): never => {
    const message = error instanceof Error ? error.message : String(error)
    this.#notice.showEnd('Cannot join', message)
    find('state').textContent = 'not connected'
    find('state').className = 'pill bad'
    throw error
  }

  /** How an own order ended. */
  report(end: OrderEnd): void {
    if (end.result === 'executed') this.#toast(`Pulse at tick ${end.tick}`)
    else this.#toast('reason' in end && end.reason ? String(end.reason) : end.result)
  }

  /** Gives the canvas as many pixels as the screen has. */
  fit(canvas: HTMLCanvasElement): void {
    const width = Math.round(canvas.clientWidth * devicePixelRatio)
    const height = Math.round(canvas.clientHeight * devicePixelRatio)
    if (canvas.width !== width) canvas.width = width
    if (canvas.height !== height) canvas.height = height
  }

  /** Call it with every picture; it looks for itself whether it is time. */
  update(scoreOf: (seat: number) => number): void {
    const nowMs = performance.now()
    if (nowMs - this.#updatedMs < updateEveryMs) return
    this.#updatedMs = nowMs
    this.#update()
    this.#showScores(scoreOf)
  }

  #update(): void {
    const match = this.#match
    if (match === undefined) return
    for (const panel of this.#panels) panel.update(match)
    this.#notice.update(match, this.#name)
    const { text, level } = describeFlow(match)
    find('state').textContent = text
    find('state').className = `pill ${level}`
  }

  #showScores(scoreOf: (seat: number) => number): void {
    const chips = playersOf(this.#match?.room).map(({ seat, name, presence }) => {
      const label = seat === this.#match?.seat ? `${name} (you)` : name
      return { seat, label, score: scoreOf(seat), isAway: presence === 'gone' }
    })
    const text = JSON.stringify(chips)
    if (text === this.#scores) return
    this.#scores = text
    find('scores').replaceChildren(
      ...chips.map(({ seat, label, score, isAway }) => {
        const className = isAway ? 'chip away' : 'chip'
        return make('span', { className }, makeSwatch(seat), label, make('b', {}, String(score)))
      }),
    )
  }

  #toast(text: string): void {
    const toast = find('toast')
    toast.textContent = text
    toast.classList.add('on')
    clearTimeout(this.#toastTimer)
    this.#toastTimer = setTimeout(() => toast.classList.remove('on'), toastMs)
  }
}
