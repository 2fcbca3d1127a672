import { expect, test } from 'vitest'
import { findStreamState, readStreamState, streamState } from './stream-state.ts'

const found = {
  streamBaseState: new Int32Array(4),
  kReadBytesOrError: 0,
  kLastWriteWasAsync: 3,
  WriteWrap: class {},
}

test('this version of Node has it', () => {
  expect(streamState?.values).toBeInstanceOf(Int32Array)
})

test('what is not as expected is not used', () => {
  expect(readStreamState(found)).toMatchObject({ readBytes: 0, isWaiting: 3 })
  for (const changes of [
    { streamBaseState: [0, 0, 0, 0] },
    { kReadBytesOrError: undefined },
    { kLastWriteWasAsync: 4 },
    { kLastWriteWasAsync: -1 },
    { WriteWrap: undefined },
  ]) {
    expect(readStreamState({ ...found, ...changes })).toBeUndefined()
  }
})

test('where Node would complain about being asked, it is not', () => {
  expect(findStreamState([], {})).toEqual(streamState)
  expect(findStreamState(['--pending-deprecation'], {})).toBeUndefined()
  expect(findStreamState([], { NODE_PENDING_DEPRECATION: '1' })).toBeUndefined()
})
