import { expect, test } from 'vitest'
import type { HostFactor } from '../../base/host-factor.ts'
import { hostFactor } from '../../base/host-factor.ts'
import { hostRules } from './host-rules.ts'

const factorByReason: { readonly [why: string]: HostFactor } = {
  'it gives a different number on every machine': 'random',
  'every machine has its own clock': 'clock',
  'every machine has its own time zone': 'zone',
  'language data differs between machines and versions': 'locale',
  'engines round it differently': 'math',
}

test('every call that a rule is about depends on what the rule says', () => {
  for (const { at, names, why, isFree } of hostRules) {
    if (isFree === true) continue
    const keys = names ?? (at === 'Math' ? ['sin', 'pow'] : ['anything'])
    for (const key of keys) {
      const name = at === '' ? key : `${at.replace('.__proto__', '')}.${key}`
      expect([name, hostFactor(name)]).toEqual([name, factorByReason[why]])
    }
  }
})

test('constructors are told by the name of their type, and other functions not at all', () => {
  expect(hostFactor('new Date')).toBe('clock')
  expect(hostFactor('new Intl.Collator')).toBe('locale')
  expect([hostFactor('Cosmos.sin'), hostFactor('mathMath.sin'), hostFactor('')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
