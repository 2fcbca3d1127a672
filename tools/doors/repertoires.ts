import type { Repertoire } from './stranger.ts'
import { httpActs } from './strangers/http.ts'
import { memberActs } from './strangers/member.ts'
import { signallingActs } from './strangers/signalling.ts'
import { udpActs } from './strangers/udp.ts'
import { websocketActs } from './strangers/websocket.ts'

/** Every kind of stranger, by name. */
export const repertoires: Readonly<Record<string, Repertoire>> = {
  websocket: websocketActs,
  http: httpActs,
  member: memberActs,
  udp: udpActs,
  signalling: signallingActs,
}
