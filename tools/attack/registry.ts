import { abandoned } from './abandoned.ts'
import type { Attack } from './attack.ts'
import { bots } from './bots.ts'
import { crowd } from './crowd.ts'
import { fragments, hellos, oversize } from './floods.ts'
import { pages } from './pages.ts'
import { pipeline } from './pipeline.ts'
import { rtcMid, rtcPings } from './rtc.ts'
import { slowloris, wave } from './slow.ts'
import { udpHandshakes } from './udp-handshakes.ts'
import { workers } from './workers.ts'

/** Every attack, in the sequence in which `all` runs them. */
export const attacks: readonly Attack[] = [
  wave,
  slowloris,
  hellos,
  oversize,
  fragments,
  rtcMid,
  rtcPings,
  pipeline,
  bots,
  pages,
  workers,
  udpHandshakes,
  crowd,
  abandoned,
]
