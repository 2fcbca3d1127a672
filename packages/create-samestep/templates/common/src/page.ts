/** What the page does around the game: which match, and what to show while it does not run. */
import type { JoinError } from 'samestep'
import { describePlayState, type OverlayMatch } from 'samestep/overlay'

/** The relay: beside the dev server while you develop, otherwise the server of the page itself. */
export function relayUrl(): string {
  return import.meta.env.DEV
    ? new URL('/relay', location.href.replace(/^http/, 'ws')).href
    : location.href
}

/** The match of the page's address (`#match=friday`); a page without one starts a match of its own. */
export function readRoom(): { match: string; name: string; seats: number } {
  const match =
    new URLSearchParams(location.hash.slice(1)).get('match') ?? crypto.randomUUID().slice(0, 8)
  history.replaceState(null, '', `#match=${encodeURIComponent(match)}`)
  const query = new URLSearchParams(location.search)
  const name =
    query.get('name') ??
    localStorage.getItem('name') ??
    `Player ${1 + Math.floor(Math.random() * 99)}`
  localStorage.setItem('name', name)
  return { match, name, seats: Number(query.get('seats') ?? 2) }
}

const notice = document.querySelector<HTMLElement>('#notice')!

/** Shows a card over the game: a title, a text, and a link to send to a friend. */
function show(title: string, text: string, link = ''): void {
  const content = JSON.stringify([title, text, link])
  if (notice.dataset.content === content) return
  notice.dataset.content = content
  notice.replaceChildren()
  notice.hidden = title === ''
  for (const [tag, words] of [
    ['h2', title],
    ['p', text],
    ['code', link],
  ] as const) {
    if (words !== '')
      notice.append(Object.assign(document.createElement(tag), { textContent: words }))
  }
  if (link === '') return
  const copy = Object.assign(document.createElement('button'), { textContent: 'Copy the link' })
  copy.onclick = async () => {
    await navigator.clipboard.writeText(link)
    copy.textContent = 'Copied'
  }
  notice.append(copy)
}

/** Says why the match cannot be joined. */
export function showProblem(error: JoinError): never {
  show('Cannot join', error.message)
  throw error
}

/** States in which there is nothing to play. The overlay shows the others. */
const stopped = new Set(['connecting', 'downloading', 'paused', 'catching-up'])

/** Shows on the page whatever keeps the match from running, and what the game's code throws. */
export function watch(match: OverlayMatch): void {
  const problem = document.querySelector('#problem')!
  match.on('fault', ({ where, name, tick, error }) => {
    problem.textContent = `${where} '${name}' threw at tick ${tick}: ${error}`
  })
  match.on('closed', ({ message, reason }) => show('The match is over', message || reason))
  setInterval(() => {
    if (match.status === 'closed') return
    const { text } = describePlayState(match)
    const players = match.room?.members.filter(({ role }) => role === 'player').length ?? 0
    if (match.playState().name === 'waiting') {
      show(
        'Waiting for players',
        `${players} here so far. Open this link in another window, or send it to a friend:`,
        location.href,
      )
    } else if (stopped.has(match.playState().name)) show(text, '')
    else show('', '')
  }, 200)
}
