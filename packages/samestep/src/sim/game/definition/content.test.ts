import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../../base/utf8.ts'
import { u8 } from '../../schema/index.ts'
import { single } from '../../state/single.ts'
import { checkContent, contentFault, foldContent, hashContent } from './content.ts'
import { defineGame } from './define-game.ts'

const sand = hashContent(encodeUtf8('sand'))
const mud = hashContent(encodeUtf8('mud'))

test('the hash of a file is the SHA-256 that other tools print', () => {
  expect(hashContent(encodeUtf8('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('a folder has one hash, whatever the sequence of its files; names and bytes both count', () => {
  const folded = foldContent({ a: sand, b: mud })
  expect(foldContent({ b: mud, a: sand })).toBe(folded)
  expect(foldContent({ a: mud, b: sand })).not.toBe(folded)
  expect(foldContent({ a: sand, c: mud })).not.toBe(folded)
})

test.each<[string, unknown, string | undefined]>([
  ['nothing', {}, undefined],
  ['a file', { 'maps/dunes.json': sand }, undefined],
  ['a list', [sand], "it must be { 'maps/dunes.json'"],
  ['a text', 'dunes', "it must be { 'maps/dunes.json'"],
  ['short hashes', { a: sand.slice(2) }, "the hash of 'a' must be a SHA-256"],
  ['hashes in capitals', { a: sand.toUpperCase() }, "the hash of 'a' must be a SHA-256"],
  ['a name without letters', { '': sand }, 'is refused as empty'],
  ['a name with a line break', { 'a\nb': sand }, 'is refused as control'],
  ['a long name', { ['ü'.repeat(33)]: sand }, 'is longer than 64 bytes'],
  [
    'too many files',
    Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`${at}.json`, sand])),
    'it has 65 files; the limit is 64',
  ],
])('a manifest is %s', (_, content, fault) => {
  if (fault === undefined) expect(contentFault(content)).toBeUndefined()
  else expect(contentFault(content)).toContain(fault)
})

test('a manifest that is none is a UsageError', () => {
  expect(() => checkContent({ a: 'b' })).toThrow(/^Cannot use this content: the hash of 'a'/)
})

function gameWith(content?: { readonly [name: string]: string }) {
  return defineGame({
    id: 'dots',
    version: 1,
    seats: { min: 1, max: 2 },
    state: { score: single({ wave: u8 }) },
    ...(content === undefined ? {} : { content }),
    step() {},
  })
}

test('the content of a game is part of its fingerprint, in any sequence', () => {
  const game = gameWith({ a: sand, b: mud })
  expect(gameWith({ b: mud, a: sand }).fingerprint).toBe(game.fingerprint)
  expect(gameWith({ a: sand, b: sand }).fingerprint).not.toBe(game.fingerprint)
  expect(gameWith().fingerprint).not.toBe(game.fingerprint)
  expect(game.content).toEqual({ a: sand, b: mud })
  expect(gameWith().content).toEqual({})
  expect(() => gameWith({ a: 'b' })).toThrow(
    /^Cannot define game 'dots' with this content: the hash/,
  )
})
