import { expect, test } from 'vitest'
import { ApartSeats } from './apart-seats.ts'
import type { HashGroup } from './hash-comparer.ts'

/** Groups of seats, as reports make them. */
function groups(...lists: readonly (readonly number[])[]): HashGroup[] {
  return lists.map((seats, lo) => {
    const group = { lo, hi: 0, seatsLo: 0, seatsHi: 0 }
    for (const seat of seats) {
      if (seat < 32) group.seatsLo = (group.seatsLo | (1 << seat)) >>> 0
      else group.seatsHi = (group.seatsHi | (1 << (seat - 32))) >>> 0
    }
    return group
  })
}

test('a first split is news, and nobody apart is none', () => {
  const apart = new ApartSeats()
  expect(apart.isNews(groups([0], [1]))).toBe(true)
  expect(apart.isNews(groups([0, 1, 2]))).toBe(false)
  expect(apart.isNews([])).toBe(false)
})

test('T-52 liars that differ in turns are news once each', () => {
  const apart = new ApartSeats()
  apart.note(groups([0], [1, 2, 3]))
  expect(apart.isNews(groups([1], [0, 2, 3]))).toBe(true)
  apart.note(groups([1], [0, 2, 3]))
  for (const split of [
    groups([0], [1, 2, 3]),
    groups([1], [0, 2, 3]),
    groups([0], [2, 3], [1]),
    groups([0, 1], [2, 3]),
  ]) {
    expect(apart.isNews(split)).toBe(false)
  }
  expect(apart.isNews(groups([0, 2], [1, 3]))).toBe(true)
})

test('a seat that had not reported is news when it does', () => {
  const apart = new ApartSeats()
  apart.note(groups([0], [1]))
  expect(apart.isNews(groups([0, 2], [1]))).toBe(true)
  apart.note(groups([0, 2], [1]))
  expect(apart.isNews(groups([0, 2], [1]))).toBe(false)
  expect(apart.isNews(groups([0], [1, 2]))).toBe(true)
})

test('a seat with another state is news again, the others are not', () => {
  const apart = new ApartSeats()
  apart.note(groups([0], [1], [2, 3]))
  apart.forget(1)
  expect(apart.isNews(groups([0], [2, 3]))).toBe(false)
  expect(apart.isNews(groups([1], [2, 3]))).toBe(true)
  expect(apart.isNews(groups([0, 1], [2]))).toBe(true)
})

test('seats of both words are told apart and forgotten', () => {
  const apart = new ApartSeats()
  apart.note(groups([31, 32], [63]))
  expect(apart.isNews(groups([31], [63]))).toBe(false)
  expect(apart.isNews(groups([31], [32]))).toBe(true)
  apart.forget(63)
  expect(apart.isNews(groups([32], [63]))).toBe(true)
})
