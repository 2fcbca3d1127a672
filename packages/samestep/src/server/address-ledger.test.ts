import { expect, test } from 'vitest'
import { AddressLedger } from './address-ledger.ts'

test('an address has so many places, and others have their own', () => {
  const ledger = new AddressLedger({ perAddressMax: 2 })
  const leave = [ledger.enter('203.0.113.7'), ledger.enter('203.0.113.7')]
  expect(ledger.enter('203.0.113.7')).toBeUndefined()
  expect(ledger.enter('203.0.113.8')).toBeDefined()
  leave[0]!()
  expect(ledger.enter('203.0.113.7')).toBeDefined()
  expect(ledger.enter('203.0.113.7')).toBeUndefined()
})

test('a place is freed once, however often that is said', () => {
  const ledger = new AddressLedger({ perAddressMax: 2 })
  const leave = ledger.enter('203.0.113.7')!
  ledger.enter('203.0.113.7')
  leave()
  leave()
  expect(ledger.enter('203.0.113.7')).toBeDefined()
  expect(ledger.enter('203.0.113.7')).toBeUndefined()
})

test('an IPv6 home is one address, and IPv4 is the same by whatever socket it comes', () => {
  const ledger = new AddressLedger({ perAddressMax: 1 })
  expect(ledger.enter('2001:db8:1:2aa::1')).toBeDefined()
  expect(ledger.enter('2001:db8:1:2ff::9')).toBeUndefined()
  expect(ledger.enter('2001:db8:1:300::1')).toBeDefined()
  expect(ledger.enter('::ffff:203.0.113.7')).toBeDefined()
  expect(ledger.enter('203.0.113.7')).toBeUndefined()
})

test('trusted proxies are not counted', () => {
  const ledger = new AddressLedger({ perAddressMax: 1, trustedProxies: ['10.0.0.0/8'] })
  for (let count = 0; count < 10; count++) expect(ledger.enter('10.1.2.3')).toBeDefined()
  expect(ledger.size).toBe(0)
})

test('nothing is kept about addresses that hold no place', () => {
  const ledger = new AddressLedger({ perAddressMax: 3 })
  const leave = Array.from({ length: 1_000 }, (_, at) =>
    ledger.enter(`203.0.${at >> 8}.${at & 255}`),
  )
  expect(ledger.size).toBe(1_000)
  for (const each of leave) each!()
  expect(ledger.size).toBe(0)
})
