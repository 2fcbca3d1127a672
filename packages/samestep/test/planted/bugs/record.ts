import type { PlantedBug } from './planted-bug.ts'

/** Bugs in what a relay writes down, and in how another one goes on from it. */
export const recordBugs: readonly PlantedBug[] = [
  {
    id: 'record-after-sends',
    file: 'relay/relay.ts',
    find: 'const bytes = this.#recorder?.take()',
    replace: 'const bytes = this.#outputs.isEmpty ? this.#recorder?.take() : undefined',
    profiles: ['relay-crash'],
    breaks: 'Ticks are sent before they are written: after a crash they are decided again.',
  },
  {
    id: 'order-count-not-restored',
    file: 'relay/match/session.ts',
    find: 'this.nextOrder = nextOrder',
    replace: 'this.nextOrder = 0',
    breaks: 'After a crash orders are taken again that have run.',
  },
  {
    id: 'inputs-not-restored',
    file: 'relay/match/ticks/sealer.ts',
    find: 'this.#previous.set(inputs)',
    replace: '',
    breaks: 'After a crash inputs are sealed as changes of others than everybody has.',
  },
  {
    id: 'kicks-not-restored',
    file: 'relay/match/match.ts',
    find: 'this.kicked.restore(history.kicked)',
    replace: '',
    profiles: ['relay-crash'],
    breaks: 'After a crash, removed players can return.',
  },
  {
    id: 'proposals-not-restored',
    file: 'room/votes.ts',
    find: 'this.#proposals.set(seat, { count, againAtMs: nowMs + waitMs })',
    replace: '',
    profiles: ['relay-crash'],
    breaks: 'A crash gives everybody three more votes.',
  },
  {
    id: 'tokens-of-before-are-lies',
    file: 'relay/guard/proof-token.ts',
    find: "if (this.#isRestored) return 'nothing'",
    replace: '',
    breaks:
      'A client that returns after a crash gets a strike for a token of the relay before the crash.',
  },
]
