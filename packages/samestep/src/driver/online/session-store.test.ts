import { describe, expect, test } from 'vitest'
import type { SessionStore } from './session-store.ts'
import { isFinal, KeptSession, storeFor } from './session-store.ts'

class MapStore implements SessionStore {
  readonly items = new Map<string, string>()

  getItem(key: string): string | null {
    return this.items.get(key) ?? null
  }

  setItem(key: string, value: string): void {
    this.items.set(key, value)
  }

  removeItem(key: string): void {
    this.items.delete(key)
  }
}

describe('the keys of a session', () => {
  test('are the same after a reload, and others for another match', () => {
    const store = new MapStore()
    const { keys } = new KeptSession(store, 'ws://a friday')
    expect(new KeptSession(store, 'ws://a friday').keys).toEqual(keys)
    expect(new KeptSession(store, 'ws://a sunday').keys).not.toEqual(keys)
    expect(keys.ticket).toHaveLength(16)
    expect(keys.secret).toHaveLength(32)
  })

  test('are new once the session is over', () => {
    const store = new MapStore()
    const first = new KeptSession(store, 'a')
    first.forget()
    expect(new KeptSession(store, 'a').keys).not.toEqual(first.keys)
  })

  test('are new where what was kept is none', () => {
    const store = new MapStore()
    for (const text of ['', 'x', 'ab cd', '0'.repeat(97)]) {
      store.setItem('samestep a', text)
      expect(new KeptSession(store, 'a').keys.secret).toHaveLength(32)
    }
  })

  test('are kept nowhere where storing is forbidden, and the match is joined all the same', () => {
    const forbidden: SessionStore = {
      getItem: () => {
        throw new Error('denied')
      },
      setItem: () => {
        throw new Error('denied')
      },
      removeItem: () => {
        throw new Error('denied')
      },
    }
    const session = new KeptSession(forbidden, 'a')
    expect(session.keys.ticket).toHaveLength(16)
    expect(() => session.forget()).not.toThrow()
  })
})

test('a store is the one that is given, the tab’s own, or none', () => {
  const store = new MapStore()
  expect(storeFor(store)).toBe(store)
  expect(storeFor(false)).toBeUndefined()
  // Node has none.
  expect(storeFor(undefined)).toBeUndefined()
})

test('a lost line is no end, a farewell is', () => {
  expect(isFinal('left')).toBe(true)
  expect(isFinal('too-slow')).toBe(false)
})
