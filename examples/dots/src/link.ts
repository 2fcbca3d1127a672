import type { DebugLevel } from 'samestep/types'

/** What the page's address says: `/?seats=3&transport=webrtc&name=Ada&conditions=wifi&worker&debug=2&desync=resync&watch#match=friday`. */
export interface Link {
  readonly match: string
  readonly name: string
  readonly seats: number
  readonly transport: 'websocket' | 'webrtc'
  readonly conditions: string
  /** Whether the page only watches. */
  readonly role: 'player' | 'spectator'
  /** Whether a worker plays, so that the page may hang or be hidden. */
  readonly isInWorker: boolean
  /** How closely the match looks at itself. */
  readonly debugLevel: DebugLevel
  /** What follows when machines differ, if this player makes the match. */
  readonly desync: 'warn' | 'halt' | 'resync'
}

const names = [
  'Ada',
  'Bo',
  'Cleo',
  'Dov',
  'Eve',
  'Finn',
  'Gus',
  'Hana',
  'Ivo',
  'Juno',
  'Kit',
  'Lou',
]

const policies = ['warn', 'halt', 'resync'] as const

/** Reads an address; what it leaves out is what a newcomer wants. */
export function readLink(href: string): Link {
  const { searchParams, hash } = new URL(href)
  const seats = Math.min(Math.max(Math.trunc(Number(searchParams.get('seats') ?? 2)) || 2, 1), 8)
  return {
    match: new URLSearchParams(hash.slice(1)).get('match') || `dots-for-${seats}`,
    name: searchParams.get('name') || (names[Math.floor(Math.random() * names.length)] as string),
    seats,
    transport: searchParams.get('transport') === 'webrtc' ? 'webrtc' : 'websocket',
    conditions: searchParams.get('conditions') ?? '',
    role: searchParams.has('watch') ? 'spectator' : 'player',
    isInWorker: searchParams.has('worker'),
    debugLevel: Number(/^[1-4]$/.exec(searchParams.get('debug') ?? '')?.[0] ?? 0) as DebugLevel,
    desync: policies.find((policy) => policy === searchParams.get('desync')) ?? 'warn',
  }
}

/** The address of the page with a match in it, for somebody else: without one's own name and line. */
export function inviteTo(match: string, href: string): string {
  const url = new URL(href)
  url.searchParams.delete('name')
  url.searchParams.delete('conditions')
  url.searchParams.delete('debug')
  url.hash = new URLSearchParams({ match }).toString()
  return url.href
}

/** Where to look when a match is taken: `friday`, `friday.2`, `friday.3`. */
export function nextName(match: string): string {
  const [, base = match, number = '1'] = /^(.*)\.(\d{1,4})$/.exec(match) ?? []
  return `${base}.${Number(number) + 1}`
}
