import { describe, expect, test } from 'vitest'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { holdBack, takeHeld } from './handover.ts'
import type { Link } from './link-state.ts'

const wish = encodeMessage('ClientHere', { activity: 'active' })
const loaded = encodeMessage('ClientLoaded', { tick: 4, isGood: true })

/** A link that took over from another one, which is in this state. */
function make(name: 'leaving' | 'ending', isOpen = true): Link {
  const behind = { isOpen, state: { name } } as Link
  return { isOpen: true, behind, held: [] as Uint8Array[] } as unknown as Link
}

describe('of a link that took over', () => {
  test('wishes wait while the link before it is heard', () => {
    const link = make('leaving')
    expect(holdBack(link, { lane: 'control', bytes: wish })).toBe(true)
    expect(takeHeld(link)).toEqual([])
    link.behind!.isOpen = false
    expect(takeHeld(link)).toEqual([wish])
    expect(holdBack(link, { lane: 'control', bytes: wish })).toBe(false)
  })

  test('wishes do not wait for the farewell of the link before it', () => {
    const link = make('leaving')
    holdBack(link, { lane: 'control', bytes: wish })
    ;(link.behind as { state: { name: string } }).state = { name: 'ending' }
    expect(holdBack(link, { lane: 'control', bytes: wish })).toBe(false)
    expect(takeHeld(link)).toEqual([wish])
  })

  test('turns do not wait, nor what is said about states: turns follow from it', () => {
    const link = make('leaving')
    expect(holdBack(link, { lane: 'tick', bytes: wish })).toBe(false)
    expect(holdBack(link, { lane: 'control', bytes: loaded })).toBe(false)
    expect(holdBack(link, { lane: 'control', bytes: Uint8Array.of() })).toBe(true)
  })
})
