import type { Line } from './measure.ts'

/** Players of each scene. */
export const playersOfScene = 8

/** A line that stays under one roof. */
export const lan: Line = { rttMs: 5, jitterMs: 0.5, loss: 0 }
/** A good line of today. */
export const fibre: Line = { rttMs: 40, jitterMs: 4, loss: 0.002 }
/** A telephone on a train. */
export const mobile: Line = { rttMs: 120, jitterMs: 40, loss: 0.03 }
/** To the other side of an ocean. */
export const ocean: Line = { rttMs: 200, jitterMs: 10, loss: 0.01 }
/** A wireless network that many share. */
export const lossy: Line = { rttMs: 80, jitterMs: 16, loss: 0.05 }

/** Scenes in which all lines are alike, by name. */
export const evenScenes = { lan, fibre, ocean, lossy, mobile } as const

/** All players on the same line. */
export function everybody(line: Line): Line[] {
  return new Array<Line>(playersOfScene).fill(line)
}

/** Seven on fibre, and one who is not. */
export const mixed: readonly Line[] = [...everybody(fibre).slice(1), mobile]

/** The seven of {@link mixed}. */
export const seven: readonly number[] = [0, 1, 2, 3, 4, 5, 6]
