import type { PlantedBug } from './planted-bug.ts'

/** Bugs in what follows a desync. */
export const desyncBugs: readonly PlantedBug[] = [
  {
    id: 'nobody-is-healed',
    file: 'relay/desync/reaction.ts',
    find: 'this.#patients.push({ session, seat, untilMs: nowMs + explainMs })',
    replace: '',
    profiles: ['desync'],
    breaks: 'Who differs from most plays on with another state, although the match is to heal it.',
  },
  {
    id: 'undecided-is-healed',
    file: 'relay/desync/reaction.ts',
    find: 'for (const seat of culprits) {',
    replace: 'for (const seat of culprits.length > 0 ? culprits : [0]) {',
    profiles: ['desync'],
    breaks: 'Where nobody can tell who is right, somebody loses his state all the same.',
  },
  {
    id: 'halt-does-not-stop',
    file: 'relay/desync/reaction.ts',
    find: 'this.#parts.halt(nowMs)',
    replace: '',
    profiles: ['desync'],
    breaks: 'A match that is to stop when machines differ goes on.',
  },
  {
    id: 'resync-forgets-orders',
    file: 'client/membership/launch.ts',
    find: "orders.loseAnswered()\n    this.#emit({ type: 'resync' })",
    replace: "this.#emit({ type: 'resync' })",
    profiles: ['desync'],
    breaks: 'An order that ran in ticks which a resync passed over never ends.',
  },
]
