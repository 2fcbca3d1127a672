import { expect, test } from 'vitest'
import type { LeafVisitor } from '../../hash/leaf.ts'
import { buildStateTree, SyncTree } from '../../hash/tree.ts'
import { readSnapshot } from '../../snapshot/reader.ts'
import { writeSnapshot } from '../../snapshot/writer.ts'
import type { AnyPart, LoadOptions } from '../part.ts'
import { State } from '../state.ts'

/** One kind of state under the contract. */
export interface PartCase {
  readonly name: string
  readonly declaration: AnyPart
  /** Changes the live value in some way that depends on `round`; all rounds differ. */
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own live type.
  change(live: any, round: number): void
}

const sameVersion: LoadOptions = { fileVersion: 1, gameVersion: 1, unknown: 'refuse' }

type OneState = State<{ part: AnyPart }>

function makeState(declaration: AnyPart, kernel: 'wasm' | 'js' = 'wasm'): OneState {
  return new State({ part: declaration }, { development: false, kernel })
}

function syncRoot(state: OneState): string {
  const tree = new SyncTree()
  tree.update(state, state.memory)
  return `${tree.rootHi >>> 0}:${tree.rootLo >>> 0}`
}

function saved(state: OneState): Uint8Array {
  const header = {
    engine: 'contract',
    gameId: 'contract',
    gameVersion: 1,
    fingerprint: new Uint8Array(32),
    matchId: 'm',
    tick: 0,
  }
  return writeSnapshot(header, (out) => state.save(out), { encoding: 'packed' }).slice()
}

function leafTexts(state: OneState): string[] {
  const texts: string[] = []
  const visitor: LeafVisitor = {
    leaf: (label, bytes, start, length) => {
      texts.push(`${label.text} ${bytes.slice(start, start + length).join()}`)
    },
  }
  state.visitLeaves(visitor)
  return texts
}

/** The suite that every kind of state passes: the engine relies on nothing else. */
export function runPartContract({ name, declaration, change }: PartCase): void {
  function changed(rounds: number, kernel: 'wasm' | 'js' = 'wasm'): OneState {
    const state = makeState(declaration, kernel)
    for (let round = 0; round < rounds; round++) change(state.live.part, round)
    state.normalise()
    return state
  }

  test(`[${name}] every change changes both hashes`, () => {
    const seen = new Set<string>()
    for (let rounds = 0; rounds < 8; rounds++) {
      const state = changed(rounds)
      seen.add(syncRoot(state))
      seen.add(buildStateTree(state).root)
    }
    expect(seen.size).toBe(16)
  })

  test(`[${name}] the WebAssembly kernel and the JavaScript kernel agree`, () => {
    for (let rounds = 0; rounds < 4; rounds++) {
      expect(syncRoot(changed(rounds, 'js'))).toBe(syncRoot(changed(rounds, 'wasm')))
    }
  })

  test(`[${name}] reading hashes and saving change nothing`, () => {
    const state = changed(5)
    const before = leafTexts(state)
    syncRoot(state)
    buildStateTree(state)
    saved(state)
    expect(leafTexts(state)).toEqual(before)
  })

  test(`[${name}] a loaded copy saves to the same bytes and stays equal through later changes`, () => {
    const original = changed(5)
    const bytes = saved(original)
    const copy = makeState(declaration)
    copy.load(readSnapshot(bytes).sections, sameVersion)
    expect(saved(copy)).toEqual(bytes)
    for (let round = 5; round < 12; round++) {
      change(original.live.part, round)
      change(copy.live.part, round)
      original.normalise()
      copy.normalise()
      expect(syncRoot(copy)).toBe(syncRoot(original))
    }
  })

  test(`[${name}] a load replaces everything that was there`, () => {
    const bytes = saved(changed(2))
    const state = changed(7)
    state.load(readSnapshot(bytes).sections, sameVersion)
    expect(syncRoot(state)).toBe(syncRoot(changed(2)))
  })

  test(`[${name}] reset gives back the state of a new one`, () => {
    const state = changed(6)
    state.reset()
    expect(syncRoot(state)).toBe(syncRoot(makeState(declaration)))
    expect(saved(state)).toEqual(saved(makeState(declaration)))
  })

  test(`[${name}] a differing leaf is explained by both its values`, () => {
    const mine = leafMap(changed(4))
    const theirs = leafMap(changed(5))
    const state = changed(4)
    const differences = [...mine].flatMap(([label, bytes]) => {
      const other = theirs.get(label)
      const isSame = other !== undefined && other.join() === bytes.join()
      return other === undefined || isSame ? [] : state.explainLeaf(label, bytes, other)
    })
    expect(differences.length).toBeGreaterThan(0)
    for (const { part, mine: left, theirs: right } of differences) {
      expect(part).toBe('part')
      expect(left).not.toEqual(right)
    }
  })

  test(`[${name}] leaves list their values: equal leaves the same, others not`, () => {
    const [mine, same, theirs] = [changed(4), changed(4), changed(5)]
    const [bytes, others] = [leafMap(mine), leafMap(theirs)]
    const listed = (state: OneState, label: string, leaf: Uint8Array) =>
      JSON.stringify(state.listLeaf(label, leaf))
    let different = 0
    for (const [label, leaf] of bytes) {
      expect(listed(mine, label, leaf)).toBe(listed(same, label, leafMap(same).get(label)!))
      const other = others.get(label)
      if (other === undefined || other.join() === leaf.join()) continue
      different += 1
      expect(listed(mine, label, leaf)).not.toBe(listed(mine, label, other))
    }
    expect(different).toBeGreaterThan(0)
    expect(mine.listLeaf('part/no-such-column/0', Uint8Array.of(1, 2, 3, 4))).toEqual(
      expect.any(Array),
    )
  })
}

function leafMap(state: OneState): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  state.visitLeaves({
    leaf: (label, bytes, start, length) => {
      found.set(label.text, bytes.slice(start, start + length))
    },
  })
  return found
}
