import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { awaitDeath, showLife } from './thread-life.ts'

/** Locks as platforms have them: one holder each, and who waits is next. */
class FakeLocks {
  readonly #queues = new Map<string, Promise<unknown>>()

  request(
    name: string,
    { signal }: { readonly signal?: AbortSignal },
    callback: () => Promise<void> | void,
  ): Promise<unknown> {
    const before = this.#queues.get(name) ?? Promise.resolve()
    const mine = before.then(() => {
      if (signal?.aborted) throw new Error('aborted')
      return callback()
    })
    this.#queues.set(
      name,
      mine.catch(() => {}),
    )
    return mine
  }
}

const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

beforeEach(() => {
  vi.stubGlobal('navigator', { locks: new FakeLocks() })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

test('a death is told when the thread is gone that held the lock, and not before', async () => {
  const told: string[] = []
  let die = () => {}
  const life = new Promise<void>((resolve) => {
    die = resolve
  })
  showLife('one', life, () => told.push('held'))
  await settle()
  awaitDeath('one', () => told.push('dead'))
  awaitDeath('another', () => told.push('free'))
  await settle()
  expect(told).toEqual(['held', 'free'])
  die()
  await settle()
  expect(told).toEqual(['held', 'free', 'dead'])
})

test('who no longer waits is not told', async () => {
  const told: string[] = []
  showLife('one', Promise.resolve(), () => {})
  awaitDeath('one', () => told.push('dead'))()
  await settle()
  expect(told).toEqual([])
})

test('where there are no locks, nothing is told and nothing breaks', async () => {
  vi.stubGlobal('navigator', undefined)
  const told: string[] = []
  showLife('one', Promise.resolve(), () => told.push('held'))
  awaitDeath('one', () => told.push('dead'))()
  await settle()
  expect(told).toEqual([])
})
