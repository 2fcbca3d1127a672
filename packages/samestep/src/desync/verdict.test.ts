import { expect, test } from 'vitest'
import { culpritsOf, decideVerdict, undecided, verdictOf } from './verdict.ts'

test.each([
  [[[0, 1], [2]], 3, [2]],
  [[[0], [1, 2]], 3, [0]],
  [[[0, 1, 2], [3], [4]], 5, [3, 4]],
  [[[2], [0, 1, 3]], 4, [2]],
])(
  'T-47 %j of %i: a strict majority is right, and the others are named',
  (groups, active, seats) => {
    expect(decideVerdict(groups, active)).toEqual({ kind: 'culprit', seats })
  },
)

test.each([
  // T-46: between two nobody can tell.
  [[[0], [1]], 2],
  // Half is no majority.
  [
    [
      [0, 1],
      [2, 3],
    ],
    4,
  ],
  [[[0, 1], [2], [3]], 4],
  // T-49: two silent seats still play; two of five are no majority, however many spoke.
  [[[0, 1], [2]], 5],
  [[[0, 1], [2]], 4],
])('%j of %i is undecided', (groups, active) => {
  expect(decideVerdict(groups, active)).toBe(undecided)
})

test('T-46 a referee decides where no majority does, and only there', () => {
  expect(decideVerdict([[0], [1]], 2, 1)).toEqual({ kind: 'culprit', seats: [0] })
  expect(decideVerdict([[0, 1], [2]], 3, 1)).toEqual({ kind: 'culprit', seats: [2] })
})

test('who only repeats what another says counts among those who play, and for no majority', () => {
  const isEcho = (seat: number) => seat === 2
  expect(decideVerdict([[0], [1, 2]], 3, undefined, isEcho)).toBe(undecided)
  expect(decideVerdict([[0, 1], [2]], 3, undefined, isEcho)).toEqual(verdictOf([2]))
  expect(decideVerdict([[0], [1, 2, 3, 4]], 5, undefined, isEcho)).toEqual(verdictOf([0]))
})

test('seats that spoke count, even where fewer are there by now', () => {
  expect(
    decideVerdict(
      [
        [0, 1],
        [2, 3],
      ],
      1,
    ),
  ).toBe(undecided)
})

test('what a message tells of a verdict gives it back', () => {
  for (const verdict of [undecided, { kind: 'culprit', seats: [1, 4] } as const]) {
    expect(verdictOf(culpritsOf(verdict))).toEqual(verdict)
  }
})
