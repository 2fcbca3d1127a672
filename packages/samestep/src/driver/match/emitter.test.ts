import { expect, test } from 'vitest'
import { Emitter } from './emitter.ts'

type Events = { readonly count: number; readonly word: string }

test('listeners hear their own events, in the sequence in which they came', () => {
  const emitter = new Emitter<Events>()
  const heard: string[] = []
  emitter.on('count', (count) => heard.push(`a${count}`))
  emitter.on('count', (count) => heard.push(`b${count}`))
  emitter.on('word', (word) => heard.push(word))
  emitter.emit('count', 1)
  emitter.emit('word', 'x')
  expect(heard).toEqual(['a1', 'b1', 'x'])
})

test('a listener is undone by what listening gave, once or twice, also while it is told', () => {
  const emitter = new Emitter<Events>()
  const heard: number[] = []
  const undo = emitter.on('count', (count) => {
    heard.push(count)
    undo()
    undo()
  })
  emitter.emit('count', 1)
  emitter.emit('count', 2)
  expect(heard).toEqual([1])
})

test('a listener that throws does not keep the others from being told; the first error comes out', () => {
  const emitter = new Emitter<Events>()
  const heard: number[] = []
  for (const word of ['first', 'second']) {
    emitter.on('count', () => {
      throw new Error(word)
    })
  }
  emitter.on('count', (count) => heard.push(count))
  expect(() => emitter.emit('count', 3)).toThrowError('first')
  expect(heard).toEqual([3])
})
