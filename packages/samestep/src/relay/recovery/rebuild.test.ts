import { describe, expect, test } from 'vitest'
import { MatchHistory } from '../../record/match-history.ts'
import { BundleMaker, sampleMatch, sampleMember, sampleRoom } from '../../record/testing/sample.ts'
import { CapsuleCipher } from './capsule-cipher.ts'
import type { Returned } from './rebuild.ts'
import { rebuild } from './rebuild.ts'

const key = new Uint8Array(32).fill(1)
const cipher = new CapsuleCipher(key)
const line = new Uint8Array(16).fill(2)

/** The ticks of a match: 0 is the capsule's. */
const maker = new BundleMaker()
const truth = Array.from({ length: 40 }, (_, index) => maker.make([], [], [[0, index % 4]]))

const tagOf = (firstTick: number, count: number) => {
  const covered = truth.slice(firstTick - 1, firstTick - 1 + count)
  return { tick: firstTick + count - 1, count, tag: cipher.tag(line, firstTick, covered) }
}

function makeHistory(seats = 3): MatchHistory {
  const history = new MatchHistory(sampleMatch)
  for (let seat = 0; seat < seats; seat++)
    history.apply({ name: 'member', body: sampleMember(seat, seat) })
  history.apply({ name: 'room', body: { ...sampleRoom, vote: undefined, proposals: [] } })
  return history
}

function has(seat: number, haveTick: number, changes: Partial<Returned> = {}): Returned {
  return {
    member: seat,
    seat,
    haveTick,
    makeHistory: () => makeHistory(),
    generation: 0,
    line,
    capsuleTick: 0,
    tags: [],
    firstTick: 1,
    bundles: truth.slice(0, haveTick),
    ...changes,
  }
}

const ticksOf = (returned: readonly Returned[]) => rebuild(returned, cipher)?.sealedTick

describe('a match that is put together from what clients have', () => {
  test('goes as far as the newest tag, whoever has it', () => {
    const tags = [tagOf(1, 10), tagOf(11, 10)]
    expect(ticksOf([has(0, 3), has(1, 2), has(2, 20, { tags })])).toBe(20)
  })

  test('goes on behind it as far as more than half of the seats have the same', () => {
    const tags = [tagOf(1, 10)]
    expect(ticksOf([has(0, 30, { tags }), has(1, 25), has(2, 14)])).toBe(25)
    expect(ticksOf([has(0, 30, { tags }), has(1, 5)])).toBe(10)
  })

  test('is as it was, byte by byte', () => {
    const history = rebuild([has(0, 30), has(1, 25), has(2, 14)], cipher)
    expect(history?.bundles).toEqual(truth.slice(0, 25))
    expect(history?.rebuiltTick).toBe(25)
  })

  test('[T-96] takes no tail of a liar, and no tag that no relay made', () => {
    const lie = truth.map((bundle, index) => (index < 10 ? bundle : Uint8Array.of(9, 9, 9)))
    const forged = { ...tagOf(1, 10), tick: 40, count: 40 }
    const liar = has(0, 40, { bundles: lie, tags: [forged, tagOf(1, 10)] })
    expect(ticksOf([liar, has(1, 12), has(2, 12)])).toBe(12)
    expect(ticksOf([liar, has(1, 12)])).toBe(10)
    // A true tag does not cover what another line of the history had.
    const otherLine = new Uint8Array(16).fill(3)
    const stale = has(0, 20, { line: otherLine, tags: [tagOf(1, 20)] })
    expect(ticksOf([stale, has(1, 5), has(2, 5)])).toBe(5)
  })

  test('survives everything that can be said', () => {
    const odd: Partial<Returned>[] = [
      { tags: [{ tick: 0, count: 0, tag: new Uint8Array(16) }] },
      { tags: [{ tick: 5, count: 4_095, tag: new Uint8Array(16) }] },
      { firstTick: 4_000_000_000 },
      { firstTick: 0 },
      { bundles: [] },
      { haveTick: 4_000_000_000 },
      { bundles: [new Uint8Array(0), Uint8Array.of(255, 255, 255)] },
    ]
    for (const changes of odd) expect(ticksOf([has(0, 9, changes), has(1, 7), has(2, 7)])).toBe(7)
  })

  test('begins with no capsule of a tick that hardly anybody can come to', () => {
    const ahead = has(0, 30, {
      capsuleTick: 30,
      makeHistory: () => {
        const history = makeHistory()
        const inputs = [...maker.inputs]
        const body = { firstTick: 1, lastTick: 30, why: 'trimmed', inputs } as const
        history.apply({ name: 'gap', body })
        return history
      },
      bundles: [],
      firstTick: 31,
    })
    expect(ticksOf([ahead, has(1, 12), has(2, 12)])).toBe(12)
  })
})

describe('a capsule', () => {
  const text = Uint8Array.from({ length: 100 }, (_, index) => index)
  const nonce = new Uint8Array(16).fill(4)
  const capsule = cipher.seal(text, nonce)

  test('is read by whoever has the key, and by nobody else', () => {
    expect(cipher.open(capsule)).toEqual(text)
    expect(new CapsuleCipher(new Uint8Array(32)).open(capsule)).toBeUndefined()
    const shown = [...capsule].join(' ')
    expect(shown).not.toContain([...text.subarray(0, 8)].join(' '))
  })

  test('that was changed or cut anywhere is none', () => {
    for (let at = 0; at < capsule.length; at++) {
      const changed = capsule.slice()
      changed[at]! ^= 1
      expect(cipher.open(changed)).toBeUndefined()
      expect(cipher.open(capsule.subarray(0, at))).toBeUndefined()
    }
  })
})
