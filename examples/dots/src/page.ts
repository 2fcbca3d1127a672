import type { OrderEnd } from 'samestep'
import { describePlayState, type OverlayMatch, showOverlay } from 'samestep/overlay'
import { make, makeButton, makeSwatch } from './elements.ts'
import type { Line } from './line.ts'
import { inviteTo } from './link.ts'
import { Notice } from './notice.ts'
import { playersOf } from './players.ts'

/** Numbers that change faster cannot be read. */
const updateEveryMs = 100

/** How long a short message stays. */
const toastMs = 1_800

const find = (id: string) => document.getElementById(id) as HTMLElement

/** Everything on the page but the game: who plays, how the match flows, and what the network does. */
export class Page {
  readonly #line: Line
  readonly #notice = new Notice(find('notice'))
  #match: OverlayMatch | undefined
  #name = ''
  #updatedMs = Number.NEGATIVE_INFINITY
  #toastTimer: ReturnType<typeof setTimeout> | undefined
  #scores = ''

  constructor(line: Line) {
    this.#line = line
  }

  /** From now on this match is shown, which is called `name`. */
  show<M extends OverlayMatch>(match: M, name: string): M {
    this.#match = match
    this.#name = name
    // Whoever copies the address invites to this very match; a reload looks for it first.
    history.replaceState(null, '', inviteTo(name, location.href))
    match.on('fallback', ({ from, to }) =>
      this.#toast(`${from} does not get through: ${to} is used`),
    )
    match.on('closed', ({ reason, message }) => {
      this.#notice.showEnd('The match is over', message || reason)
      this.#update()
    })
    showOverlay(match, {
      parent: find('panel'),
      conditioner: this.#line,
      seatColor: (seat) => `var(--seat-${seat})`,
    })
    // For the browser's console: match.statistics, match.room, match.simulation.
    Object.assign(globalThis, { match })
    return match
  }

  /** Offers to break this machine's state, so that everybody sees what is told of it. */
  offerFlip(flip: () => void): void {
    const button = makeButton('Flip one field', flip)
    button.title = 'Changes one number of the state on this machine alone'
    find('panel').append(button)
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
    this.#notice.update(match, this.#name)
    const { text, level } = describePlayState(match)
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
