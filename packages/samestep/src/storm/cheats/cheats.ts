import type { CheatKind } from '../plan/attack-kinds.ts'
import { ActFlooder } from './act-flooder.ts'
import type { Cheat, Cheater } from './cheat.ts'
import { ChunkStaller } from './chunk-staller.ts'
import { LagSwitch } from './lag-switch.ts'
import { PauseAbuser } from './pause-abuser.ts'
import { Spoofer } from './spoofer.ts'
import { StatePoisoner } from './state-poisoner.ts'
import { TextForger } from './text-forger.ts'
import { TokenForger } from './token-forger.ts'
import { VoteStuffer } from './vote-stuffer.ts'

/** What each kind of cheat does. */
export const cheats: { readonly [K in CheatKind]: new (cheater: Cheater) => Cheat } = {
  'act-flooder': ActFlooder,
  spoofer: Spoofer,
  'token-forger': TokenForger,
  'pause-abuser': PauseAbuser,
  'vote-stuffer': VoteStuffer,
  'lag-switch': LagSwitch,
  'text-forger': TextForger,
  'state-poisoner': StatePoisoner,
  'chunk-staller': ChunkStaller,
}
