import type { PlayState } from 'samestep'
import type { OverlayMatch } from 'samestep/overlay'
import { make, makeButton } from './elements.ts'
import { inviteTo, nextName } from './link.ts'
import { type Player, playersOf } from './players.ts'

/** Below that nobody is told that the others are ahead. */
const catchUpShownMs = 500

/** What lies over the arena while there is something to say or to do. */
export class Notice {
  readonly #element: HTMLElement
  #shown = ''
  readonly #names = new Map<number, string>()

  constructor(element: HTMLElement) {
    this.#element = element
  }

  /** The match could not be joined, or is over. */
  showEnd(title: string, message: string): void {
    this.#show(`end ${title} ${message}`, () => [
      make('h2', {}, title),
      make('p', {}, message),
      make(
        'div',
        { className: 'row' },
        makeButton('Try again', () => location.reload(), 'main'),
      ),
    ])
  }

  update(match: OverlayMatch, name: string): void {
    if (match.status === 'closed') return
    const players = playersOf(match.room).filter(({ presence }) => {
      return presence !== 'gone' && presence !== 'silent'
    })
    const missing = match.simulation.seats - players.length
    for (const player of players) this.#names.set(player.seat, player.name)
    const state = match.playState()
    const join = joinProgress(state)
    if (join !== undefined) this.#showJoin(join)
    else if (state.name === 'waiting')
      this.#showInvitation(name, players.length, match.simulation.seats)
    else if (match.room?.phase === 'running' && players.length > 0 && missing > 0) {
      this.#showLeft(name, players)
    } else this.#show('', () => [])
  }

  /** On the way into a match that runs: what is being done, and how far it is. */
  #showJoin({ title, share }: JoinProgress): void {
    this.#show(`join ${title}`, () => [make('h2', {}, title), make('progress')])
    const bar = this.#element.querySelector('progress')
    // A bar without a value shows that something goes on, and not how far it is.
    if (bar !== null && share !== undefined) bar.value = share
  }

  #showInvitation(name: string, count: number, seats: number): void {
    this.#show(`invite ${name} ${count}`, () => {
      const invitation = inviteTo(name, location.href)
      const title =
        seats === 2
          ? 'Waiting for a second player'
          : `Waiting: ${count} of ${seats} players are here`
      const open = () => window.open(invitation, '_blank', 'popup,width=1000,height=720')
      const copy = makeButton('Copy the link', () => {
        navigator.clipboard?.writeText(invitation).then(() => {
          copy.textContent = 'Copied'
        })
      })
      return [
        make('h2', {}, title),
        make('p', {}, 'Open this link once more, side by side, and both windows play one match:'),
        make('code', { tabIndex: 0 }, invitation),
        make('div', { className: 'row' }, makeButton('Open a second player', open, 'main'), copy),
        make(
          'p',
          { className: 'small' },
          'It starts as soon as everybody is here. Other ways: ',
          ...variants(),
        ),
      ]
    })
  }

  #showLeft(name: string, players: readonly Player[]): void {
    const left = [...this.#names].filter(
      ([seat]) => !players.some((player) => player.seat === seat),
    )
    const who = left.map(([, each]) => each).join(' and ') || 'Somebody'
    this.#show(`left ${who}`, () => {
      const again = () => {
        // The others find the same one when they press it too.
        location.href = inviteTo(nextName(name), location.href)
        location.reload()
      }
      return [
        make(
          'p',
          {},
          `${who} left. The seat is kept for a minute. `,
          makeButton('New match', again, 'main'),
        ),
      ]
    })
  }

  #show(what: string, build: () => HTMLElement[]): void {
    if (what === this.#shown) return
    this.#shown = what
    const slim = what.startsWith('left') ? ' slim' : ''
    const content = build()
    this.#element.replaceChildren(
      ...(content.length === 0 ? [] : [make('div', { className: `card${slim}` }, ...content)]),
    )
  }
}

interface JoinProgress {
  readonly title: string
  /** 0 to 1; `undefined` while nobody can tell. */
  readonly share: number | undefined
}

/** What to show of somebody on the way into a match that runs; `undefined` for who is in it. */
function joinProgress(state: PlayState): JoinProgress | undefined {
  switch (state.name) {
    case 'connecting':
      return { title: 'Connecting', share: undefined }
    case 'authorised':
      return { title: 'Asking the others for the match', share: undefined }
    case 'downloading':
      return { title: 'Fetching the match', share: state.bytes / Math.max(state.bytesTotal, 1) }
    case 'loading':
      return { title: 'Loading the match', share: undefined }
    case 'catching-up':
      // Behind by less is over before anybody has read it.
      if (state.leftMs < catchUpShownMs) return undefined
      return { title: 'Catching up', share: state.progress }
    default:
      return undefined
  }
}

/** Links to the same page, played in other ways. */
function variants(): (Node | string)[] {
  const links = {
    alone: 'seats=1',
    'three players': 'seats=3',
    'over WebRTC': 'transport=webrtc',
    'in a worker': 'worker',
  }
  return Object.entries(links).flatMap(([text, query], index) => [
    ...(index === 0 ? [] : [' · ']),
    make('a', { href: `/?${query}` }, text),
  ])
}
