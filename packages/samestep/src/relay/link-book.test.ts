import { expect, test } from 'vitest'
import { StreamChannel } from '../link/stream-channel.ts'
import { strangersMax } from '../wire/limits.ts'
import { LinkBook } from './link-book.ts'
import type { Link } from './link-state.ts'

function open(book: LinkBook, id: number): Link | undefined {
  return book.open(id, (nowMs) => new StreamChannel(nowMs), `owner ${id}`, 0)
}

test('a link is found by its number until it is forgotten, with its owner', () => {
  const book = new LinkBook()
  const link = open(book, 7)!
  expect([book.get(7), book.size, link.owner]).toEqual([link, 1, 'owner 7'])
  book.forget(link)
  expect([book.get(7), book.size, link.isOpen]).toEqual([undefined, 0, false])
  expect(book.timers.soonestMs()).toBe(Number.POSITIVE_INFINITY)
})

test('strangers are counted until they are let in, sent away, or gone: each once', () => {
  const book = new LinkBook()
  const links = Array.from({ length: strangersMax }, (_, id) => open(book, id)!)
  expect(open(book, -1)).toBeUndefined()
  const ending = { name: 'ending', code: 1, untilMs: 9 } as const
  book.settle(links[0]!, ending)
  expect(open(book, strangersMax)).toBeDefined()
  expect(open(book, -1)).toBeUndefined()
  // It counted when it was sent away.
  book.forget(links[0]!)
  expect(open(book, -1)).toBeUndefined()
  book.forget(links[1]!)
  expect(open(book, strangersMax + 1)).toBeDefined()
  expect(open(book, -1)).toBeUndefined()
})
