import type { PlantedBug } from './planted-bug.ts'

/** Bugs in what follows a desync. */
export const desyncBugs: readonly PlantedBug[] = [
  {
    id: 'nobody-is-healed',
    file: 'relay/desync/reaction.ts',
    find: 'this.#patients.push({ session, untilMs: nowMs + explainMs })',
    replace: '',
    profiles: ['desync'],
    breaks: 'A client that differs from most keeps its state, although the match should resync it.',
  },
  {
    id: 'undecided-is-healed',
    file: 'relay/desync/reaction.ts',
    find: 'for (const seat of culprits) {',
    replace: 'for (const seat of culprits.length > 0 ? culprits : [0]) {',
    profiles: ['desync'],
    breaks: 'Without a majority, a client still loses its state.',
  },
  {
    id: 'halt-does-not-stop',
    file: 'relay/desync/reaction.ts',
    find: 'this.#parts.halt(nowMs)',
    replace: '',
    profiles: ['desync'],
    breaks: 'A match that should halt on a desync continues.',
  },
  {
    id: 'resync-forgets-orders',
    file: 'client/membership/launch.ts',
    find: "orders.loseAnswered()\n    this.#emit({ type: 'resync' })",
    replace: "this.#emit({ type: 'resync' })",
    profiles: ['desync'],
    breaks: 'An order that ran in ticks skipped by a resync never ends.',
  },
]
