import { expect, test } from 'vitest'
import { StrangerPlaces } from './stranger-places.ts'

test('places are bounded for each address and in all, and freed once', () => {
  const places = new StrangerPlaces({ perAddress: 2, total: 5 })
  const first = places.take('a')
  places.take('a')
  expect([places.refusal('a'), places.refusal('b')]).toEqual(['group', undefined])
  first()
  first()
  expect([places.refusal('a'), places.count]).toEqual([undefined, 1])
  for (const block of ['b', 'c', 'd', 'e']) places.take(block)
  expect([places.refusal('f'), places.count]).toEqual(['strangers', 5])
})
