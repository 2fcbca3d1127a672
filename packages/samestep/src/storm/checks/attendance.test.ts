import { describe, expect, test } from 'vitest'
import { MatchBench } from '../../relay/testing/match-kit.ts'
import { Attendance } from './attendance.ts'

/** A match of three players, and what is known of it after the last call. */
function make() {
  const bench = new MatchBench({ seats: 3 })
  const { match } = bench
  const sessions = [bench.admit(), bench.admit(), bench.admit()].map(({ session }) => session)
  const attendance = new Attendance()
  attendance.noteCall(match)
  const seatsThere = () => attendance.at(match).map(({ seat }) => seat)
  return { bench, match, sessions, attendance, seatsThere }
}

describe('at an event', () => {
  test('everybody was there who is', () => {
    const { match, attendance } = make()
    expect(attendance.at(match)).toEqual(match.sessions)
  })

  test('whoever is let go after it in the same call was there', () => {
    const { match, attendance, seatsThere } = make()
    match.kick(1, 0)
    expect(match.sessions.map(({ seat }) => seat)).toEqual([0, 2])
    expect(seatsThere()).toEqual([0, 2, 1])
    attendance.noteLeft(1)
    expect(seatsThere()).toEqual([0, 2])
  })

  test('of several who go in a call, only those are there who were not heard to leave', () => {
    const { match, attendance, seatsThere } = make()
    match.kick(0, 0)
    match.kick(2, 0)
    attendance.noteLeft(0)
    expect(seatsThere()).toEqual([1, 2])
  })

  test('nobody is there who was gone after an earlier call', () => {
    const { match, attendance, seatsThere } = make()
    match.kick(1, 0)
    attendance.noteCall(match)
    expect(seatsThere()).toEqual([0, 2])
  })
})
