/** Every refusal, as somebody reads it. Whoever adds one reads its sentence aloud first. */
import { expect, test } from 'vitest'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { helloMagic, messageTypes } from '../../wire/messages/messages.ts'
import { BundleLog } from '../match/ticks/bundle-log.ts'
import type { Refusal } from './door.ts'
import {
  agreeOn,
  checkConfig,
  checkJoin,
  checkKicked,
  checkNames,
  noMatch,
  noRoom,
  notAuthorized,
  tooManyMoves,
  tooManyProofs,
  tooManyReturns,
  wrongProof,
} from './door.ts'
import { capsOfProtocol, checkCaps } from './match-caps.ts'

const config = makeMatchConfig({ seats: 2, tickRate: 30 })
const identity = { gameId: 'dots', gameVersion: 3, fingerprint: new Uint8Array(32).fill(0xab) }
const join: MessageBody<'ClientJoin'> = {
  match: 'friday',
  name: 'Ada',
  role: 'player',
  config,
  ticket: undefined,
  secret: undefined,
  nextTick: 1,
  token: undefined,
  software: undefined,
}
const hello: MessageBody<'ClientHello'> = {
  magic: helloMagic,
  protocols: ['samestep/9'],
  gameId: 'dots',
  gameVersion: 3,
  fingerprint: identity.fingerprint,
}
const match = { identity, config, log: new BundleLog(30) }

function joining(changes: Partial<typeof join>, theirs = identity, isKnown = false) {
  return checkJoin(match, theirs, isKnown, { ...join, ...changes })
}

const ticket = new Uint8Array(16)
const other = new Uint8Array(32)
const dunes = { name: 'maps/dunes.json', hash: new Uint8Array(32) }
const slot = { form: 'whole', max: 1, initial: 0, isOneShot: false } as const

test.each<[string, Refusal | string | undefined]>([
  ['your protocol is samestep/9; it must be samestep/1', agreeOn(hello)],
  [`your magic is 5; it must be ${helloMagic}`, agreeOn({ ...hello, magic: 5 })],
  [
    'the id of your game is none: write it in lower-case letters, digits and hyphens',
    agreeOn({ ...hello, gameId: 'My Game' }),
  ],
  ['your game is tanks; it must be dots', joining({}, { ...identity, gameId: 'tanks' })],
  ['your game version is 4; it must be 3', joining({}, { ...identity, gameVersion: 4 })],
  [
    'your game is not the one of this match, though both say version 3: build all from one source (00000000 and abababab)',
    joining({}, { ...identity, fingerprint: new Uint8Array(32) }),
  ],
  [
    "your files are not those of this match: 'maps/dunes.json' is not in the match",
    joining({ config: { ...config, content: [dunes] } }, { ...identity, fingerprint: other }),
  ],
  [
    'your content is names out of sequence; it must be a list of files',
    joining({ config: { ...config, content: [dunes, dunes] } }),
  ],
  [
    'your content is names out of sequence; it must be a list of files',
    checkConfig({ ...config, content: [dunes, dunes] }),
  ],
  ['your match tickRate is 60; it must be 30', joining({ config: { ...config, tickRate: 60 } })],
  ['your ticket is not valid for this match', joining({ ticket, nextTick: 5 })],
  [
    'you ask for tick 9, but the next tick of the match is 1',
    joining({ ticket, nextTick: 9 }, identity, true),
  ],
  ['your name is empty, or has nothing that can be seen', checkNames({ ...join, name: '' })],
  ['your name has more than 32 characters', checkNames({ ...join, name: 'a'.repeat(60) })],
  ['your match name has more than 64 bytes', checkNames({ ...join, match: 'a'.repeat(65) })],
  [
    'your name begins or ends with a space, or has several in a row',
    checkNames({ ...join, name: 'Ada  B' }),
  ],
  [
    'your name has a control character or a line break in it',
    checkNames({ ...join, name: 'A\nB' }),
  ],
  [
    'your name has a character in it that turns the direction of writing around',
    checkNames({ ...join, name: 'A\u202eB' }),
  ],
  ['your name contains an invalid character', checkNames({ ...join, name: 'A\ufdd0' })],
  ['your name has an invisible character in it', checkNames({ ...join, name: 'A\u200bB' })],
  [
    'your name is not in the composed form of Unicode (NFC)',
    checkNames({ ...join, name: 'Re\u0301' }),
  ],
  [
    'your match name is empty, or has nothing that can be seen',
    checkNames({ ...join, match: ' ' }),
  ],
  ['every seat of the match is taken', noRoom('player', 'full')],
  ['the match has as many spectators as it may', noRoom('spectator', 'full')],
  ['the match is running and accepts no more players', noRoom('player', 'closed')],
  ['the match is running and accepts no more spectators', noRoom('spectator', 'closed')],
  ['the match is just starting; try again when it runs', noRoom('player', 'starting')],
  ['the match has ended', noRoom('player', 'wrong-phase')],
  [
    'your input delay is 0; it must be 2 to 8',
    checkConfig({ ...config, inputDelay: 0, inputDelayMin: 2, inputDelayMax: 8 }),
  ],
  [
    'the match is impossible: playersMin is 9; it must be 1 to 2',
    checkConfig({ ...config, lobby: { ...config.lobby, playersMin: 9, start: 'by-owner' } }),
  ],
  [
    'your least input delay is 0; it must be 1 or more in a game with inputs',
    checkConfig({ ...config, inputDelay: 0, inputDelayMin: 0, inputSlots: [slot] }),
  ],
  [
    'the inputs of your game are impossible: Slot 0 has half a double',
    checkConfig({
      ...config,
      inputSlots: [{ ...slot, form: 'f64-high', max: 0xffff_ffff, initial: 0 }],
    }),
  ],
  ['you could not prove that this seat is yours', wrongProof],
  ['too many wrong proofs came from your address; try again later', tooManyProofs],
  [
    "the match 'friday' no longer exists: it has ended, or the relay was restarted",
    noMatch('friday'),
  ],
  ['your subscription ended on Friday', notAuthorized('your subscription ended on Friday')],
  ['you were removed from this match', checkKicked({ kicked: { has: () => true } as never }, {})],
  [
    'your connection broke too often; at most 20 times at once, and 5 times per minute',
    tooManyReturns,
  ],
  [
    'your client changed its connection too often; at most 6 times at once, and 6 times per minute',
    tooManyMoves,
  ],
])('Cannot let you in: %s', (sentence, refused) => {
  const { message } = refused as Refusal
  expect(message).toBe(`Cannot let you in: ${sentence}`)
  expect(messageTypes.RelayRefuse.fields.accepts(refused)).toBe(true)
})

const caps = { ...capsOfProtocol, seatsMax: 1, tickRateMax: 20, optionsBytesMax: 3, emptyMsMax: 5 }
const small = { ...config, seats: 1, tickRate: 20 }

test.each<[string, Refusal | undefined]>([
  ['it asks for 2 seats; this relay allows at most 1', checkCaps(config, caps)],
  [
    'it asks for a tick rate of 30; this relay allows at most 20',
    checkCaps({ ...small, tickRate: 30 }, caps),
  ],
  [
    'it asks for 20 ticks per second; this relay allows at most 9',
    checkCaps(small, { ...caps, ticksPerSecondMax: 9 }),
  ],
  [
    'it asks for 4 bytes of options; this relay allows at most 3',
    checkCaps({ ...small, options: new Uint8Array(4) }, caps),
  ],
  [
    'it asks for 6 ms to keep it empty; this relay allows at most 5',
    checkCaps({ ...small, lobby: { ...config.lobby, emptyMs: 6 } }, caps),
  ],
  [
    "it asks for desync: 'resync'; this relay allows 'warn' and 'halt'",
    checkCaps({ ...small, desync: 'resync' }, { ...caps, resyncsMax: 0 }),
  ],
])('Cannot create the match: %s', (sentence, refused) => {
  expect(refused?.message).toBe(`Cannot create the match: ${sentence}`)
  expect(messageTypes.RelayRefuse.fields.accepts(refused)).toBe(true)
})

test('a long name makes no sentence that is too long to be sent', () => {
  const refused = joining({}, { ...identity, gameId: 'x'.repeat(63), fingerprint: ticket })
  expect(messageTypes.RelayRefuse.fields.accepts(refused)).toBe(true)
})
