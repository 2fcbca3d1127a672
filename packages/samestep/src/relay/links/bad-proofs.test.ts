import { expect, test } from 'vitest'
import type { Session } from '../match/session.ts'
import { BadProofs, badAddressesMax, badProofsMax, badProofsMs } from './bad-proofs.ts'

const session = (address?: string) => ({ visitor: { address } }) as Session

test('an address is asked nothing for a minute after ten wrong answers', () => {
  const proofs = new BadProofs()
  for (let count = 0; count < badProofsMax; count++) {
    expect(proofs.isBlocked('a', session(), 0)).toBe(false)
    proofs.note('a', session(), count)
  }
  expect(proofs.isBlocked('a', session(), badProofsMs - 1)).toBe(true)
  expect(proofs.isBlocked('b', session(), badProofsMs - 1)).toBe(false)
  expect(proofs.isBlocked('a', session(), badProofsMs)).toBe(false)
})

test('a session that many try to take is left to the address that had it last', () => {
  const proofs = new BadProofs()
  const victim = session('home')
  for (let count = 0; count < badProofsMax; count++) proofs.note(`thief ${count}`, victim, 0)
  expect(proofs.isBlocked('another thief', victim, 1)).toBe(true)
  expect(proofs.isBlocked('home', victim, 1)).toBe(false)
  expect(proofs.isBlocked('another thief', session('home'), 1)).toBe(false)
  expect(proofs.isBlocked('another thief', victim, badProofsMs)).toBe(false)
})

test('addresses are remembered up to a number', () => {
  const proofs = new BadProofs()
  for (let count = 0; count < badAddressesMax + 50; count++) proofs.note(`${count}`, session(), 0)
  expect(proofs.size).toBe(badAddressesMax)
})

test('where addresses mean nothing, only the session counts', () => {
  const proofs = new BadProofs()
  for (let count = 0; count < 50; count++) proofs.note(undefined, session('x'), 0)
  expect([proofs.size, proofs.isBlocked(undefined, session('x'), 1)]).toEqual([0, false])
})
