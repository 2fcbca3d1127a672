/** Everything around the game: who is here, ready, chat, invitation, pause. */
import type { Game, Match } from 'samestep'
import { describePlayState } from 'samestep/overlay'
import { renderSVG } from 'uqr'
import { linkTo } from './address.ts'
import { hideCard, showEnd, showText, toast } from './card.ts'
import { colours, find, make } from './elements.ts'
import type { game } from './game.ts'

/** A match of this game. */
export type GameMatch = typeof game extends Game<infer G, infer R> ? Match<G, R> : never

/** Shows the room of a match, and lets the player act in it. */
export function showRoom(match: GameMatch, name: string): void {
  showInvitation(name)
  connectChat(match)
  connectButtons(match)
  match.on('presence', ({ name: who, change }) => toast(`${who}: ${change}`))
  match.on('denied', ({ action, reason }) => toast(`Cannot ${action}: ${reason}`))
  match.on('fault', ({ where, tick, error }) => toast(`${where} threw at tick ${tick}: ${error}`))
  match.on('fallback', ({ from, to }) => toast(`${from} does not work here: using ${to}`))
  match.on('desync', () => toast('This match is out of sync'))
  match.on('closed', ({ reason, message }) => showEnd('The match is over', message || reason))
  setInterval(() => update(match), 150)
  update(match)
}

function update(match: GameMatch): void {
  const { text, level } = describePlayState(match)
  find('#status').textContent = text
  find('#status').className = level
  if (match.status === 'closed') return
  showMembers(match)
  showFlow(match, text)
}

/** States in which there is nothing to play; whatever else is wrong stands in the header. */
const stopped = new Set(['connecting', 'downloading', 'paused', 'catching-up'])

/** What lies over the game: nothing while it runs. */
function showFlow(match: GameMatch, text: string): void {
  const { room } = match
  const state = match.playState()
  find('#ready').hidden = room?.phase !== 'lobby' || match.seat === undefined
  find('#pause').hidden = room?.phase !== 'running' || match.seat === undefined
  find('#pause').textContent = state.name === 'paused' ? 'Resume' : 'Pause'
  if (state.name === 'waiting') showWaiting(room)
  else if (stopped.has(state.name)) showText(capitalise(text))
  else hideCard()
}

function showWaiting(room: GameMatch['room']): void {
  const players = room?.members.filter(({ role }) => role === 'player') ?? []
  const ready = players.filter(({ isReady }) => isReady).length
  if (room?.phase === 'countdown') showText(`Starting in ${Math.ceil(room.remainingMs / 1_000)}`)
  else if (room?.phase === 'loading') showText('Loading')
  else if (players.length < 2) showText('Waiting for another player', 'Send the link to a friend.')
  else {
    const title = `${ready} of ${players.length} are ready`
    showText(title, 'The match starts when everybody is ready.')
  }
}

let shownMembers = ''

function showMembers({ room, member: own }: GameMatch): void {
  const members = room?.members ?? []
  // Only what changed: rows that are made anew cannot be clicked or read out.
  const content = JSON.stringify([members, room?.phase])
  if (content === shownMembers) return
  shownMembers = content
  const rows = members.map(({ id, name, role, seat, isReady, isOwner, presence }) => {
    const dot = make('i')
    dot.style.background = seat === undefined ? 'none' : colours[seat % colours.length]
    const marks = [
      ...(id === own ? ['you'] : []),
      ...(isOwner ? ['owner'] : []),
      ...(role === 'player' ? [] : [role]),
      ...(role === 'player' && room?.phase === 'lobby' ? [isReady ? 'ready' : 'not ready'] : []),
      ...(presence === 'active' ? [] : [presence]),
    ]
    return make(
      'li',
      {},
      dot,
      make('b', { textContent: name }),
      make('small', { textContent: marks.join(' · ') }),
    )
  })
  find('#members').replaceChildren(...rows)
}

function showInvitation(name: string): void {
  const link = linkTo(name, 'play')
  find('#invite').hidden = false
  find<HTMLImageElement>('#qr').src = `data:image/svg+xml,${encodeURIComponent(renderSVG(link))}`
  for (const how of ['play', 'watch'] as const) {
    const field = find<HTMLInputElement>(`#${how}-link`)
    field.value = linkTo(name, how)
    field.onclick = () => {
      field.select()
      navigator.clipboard?.writeText(field.value).then(() => toast('Copied'))
    }
  }
}

function connectChat(match: GameMatch): void {
  find('#chat').hidden = false
  const form = find<HTMLFormElement>('#chat form')
  const input = form.querySelector('input')!
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const text = input.value.trim()
    if (text !== '') match.act({ type: 'say', scope: 'all', text })
    input.value = ''
  })
  match.on('said', ({ member, text }) => {
    const who = match.room?.members.find(({ id }) => id === member)?.name ?? 'Somebody'
    const line = make('li', {}, make('b', { textContent: `${who}: ` }), text)
    find('#lines').append(line)
    line.scrollIntoView({ block: 'nearest' })
  })
}

function connectButtons(match: GameMatch): void {
  find('#ready').onclick = () => {
    const { members = [], optionsRevision = 0 } = match.room ?? {}
    const isReady = !members.find(({ id }) => id === match.member)?.isReady
    match.act({ type: 'set-ready', isReady, optionsRevision })
    find('#ready').textContent = isReady ? 'Not ready' : 'Ready'
  }
  find('#pause').onclick = () => {
    match.act({ type: match.playState().name === 'paused' ? 'resume' : 'pause' })
  }
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
