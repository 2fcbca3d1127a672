import type { OutsiderKind } from '../plan/attack-kinds.ts'
import { Gatecrasher } from './gatecrasher.ts'
import { MatchMaker } from './match-maker.ts'
import { NameForger } from './name-forger.ts'
import type { Doorstep, Outsider } from './outsider.ts'
import { Twin } from './twin.ts'

/** What each kind of outsider does. */
export const outsiders: { readonly [K in OutsiderKind]: new (doorstep: Doorstep) => Outsider } = {
  'match-maker': MatchMaker,
  gatecrasher: Gatecrasher,
  twin: Twin,
  'name-forger': NameForger,
}
