import { expect, test } from 'vitest'
import { followVisibility } from './visibility.ts'

class FakePage {
  visibilityState = 'visible'
  readonly listeners = new Set<() => void>()

  addEventListener(_type: 'visibilitychange', listener: () => void): void {
    this.listeners.add(listener)
  }

  removeEventListener(_type: 'visibilitychange', listener: () => void): void {
    this.listeners.delete(listener)
  }

  turn(state: string): void {
    this.visibilityState = state
    for (const listener of [...this.listeners]) listener()
  }
}

test('every change of the page is told', () => {
  const page = new FakePage()
  const told: boolean[] = []
  followVisibility(
    (isHidden) => told.push(isHidden),
    () => false,
    page,
  )
  page.turn('hidden')
  page.turn('visible')
  expect(told).toEqual([true, false])
})

test('a page that is hidden from the start is told at once; a visible one needs no word', () => {
  const page = new FakePage()
  page.visibilityState = 'hidden'
  const told: boolean[] = []
  followVisibility(
    (isHidden) => told.push(isHidden),
    () => false,
    page,
  )
  expect(told).toEqual([true])
})

test('after the end nothing is told, and nothing is left on the page', () => {
  const page = new FakePage()
  const told: boolean[] = []
  let isOver = false
  followVisibility(
    (isHidden) => told.push(isHidden),
    () => isOver,
    page,
  )
  isOver = true
  page.turn('hidden')
  expect([told, page.listeners.size]).toEqual([[], 0])
})

test('without a page nothing is ever hidden', () => {
  const told: boolean[] = []
  followVisibility(
    (isHidden) => told.push(isHidden),
    () => false,
  )
  // A document of something that is no browser.
  followVisibility(
    (isHidden) => told.push(isHidden),
    () => false,
    {
      visibilityState: 'hidden',
    } as never,
  )
  expect(told).toEqual([])
})
