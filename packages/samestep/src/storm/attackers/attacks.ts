import type { RoughKind } from '../plan/attack-kinds.ts'
import type { Attack, Attacker } from './attack.ts'
import { BombSender } from './bomb-sender.ts'
import { Flooder } from './flooder.ts'
import { Garbage } from './garbage.ts'
import { HashLiar } from './hash-liar.ts'
import { InputForger } from './input-forger.ts'
import { ReconnectCycler } from './reconnect-cycler.ts'
import { Replayer } from './replayer.ts'
import { SlowReader } from './slow-reader.ts'
import { Stranger } from './stranger.ts'
import { TicketThief } from './ticket-thief.ts'
import { Traveller } from './traveller.ts'
import { TurnFlooder } from './turn-flooder.ts'

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
  'turn-flooder': TurnFlooder,
  'reconnect-cycler': ReconnectCycler,
  'bomb-sender': BombSender,
  'slow-reader': SlowReader,
}
