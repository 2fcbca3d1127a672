import type { RoughKind } from '../plan/attack-kinds.ts'
import type { Attack, Attacker } from './attack.ts'
import { Flooder } from './flooder.ts'
import { Garbage } from './garbage.ts'
import { HashLiar } from './hash-liar.ts'
import { InputForger } from './input-forger.ts'
import { Replayer } from './replayer.ts'
import { Stranger } from './stranger.ts'
import { TicketThief } from './ticket-thief.ts'
import { Traveller } from './traveller.ts'

/** What each kind of attacker does. */
export const attacks: { readonly [K in RoughKind]: new (attacker: Attacker) => Attack } = {
  garbage: Garbage,
  replayer: Replayer,
  flooder: Flooder,
  traveller: Traveller,
  stranger: Stranger,
  'hash-liar': HashLiar,
  'ticket-thief': TicketThief,
  'input-forger': InputForger,
}
