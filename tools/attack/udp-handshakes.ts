/** Handshakes by UDP that are right in every way, by somebody who then says nothing. */
import { addressOf, wait } from '../loopback/sockets.ts'
import { shakeHands, type UdpStranger } from '../loopback/udp-stranger.ts'
import type { Attack, AttackResult, Target } from './attack.ts'
import { commonPromises } from './promises.ts'

/** Tries in all, by one process. */
const perSecond = 200

/** A try that is not answered is given up soon, so that the next ones are not held up by it. */
const patienceMs = 300

/** Tries at the same time, for the sockets of this process: far more than are open at this rate. */
const openMax = 256

/** Costs the relay key agreements: one per handshake that it answers. */
export const udpHandshakes: Attack = {
  name: 'udp-handshakes',
  what: `makes ${perSecond} whole UDP handshakes per second and says nothing afterwards`,
  cases: [
    {
      title: `${perSecond} per second`,
      flags: ['--webrtc', 'off', '--udp', '0'],
      run: shakeAgain,
      promises: (outcome) => commonPromises(outcome, { growthMibMax: 80 }),
    },
  ],
}

async function shakeAgain({ udp, seconds, addresses, processes }: Target): Promise<AttackResult> {
  if (udp === undefined) throw new Error('Cannot shake hands: the relay has no UDP')
  const count = { tried: 0, agreed: 0, 'not answered': 0 }
  const strangers: UdpStranger[] = []
  let open = 0
  const fromMs = performance.now()
  const untilMs = fromMs + seconds * 1_000
  const shake = async (turn: number) => {
    open++
    const stranger = await shakeHands(udp, addressOf(turn, addresses), { msMax: patienceMs })
    open--
    if (stranger === undefined) count['not answered']++
    else {
      count.agreed++
      strangers.push(stranger)
      // Of the sockets, which are this process's own limit.
      for (const old of strangers.splice(0, strangers.length - 300)) old.vanish()
    }
  }
  while (performance.now() < untilMs) {
    const due = ((performance.now() - fromMs) / 1_000) * (perSecond / processes)
    while (count.tried < due && open < openMax) void shake(count.tried++)
    await wait(2)
  }
  while (open > 0) await wait(20)
  for (const stranger of strangers) stranger.vanish()
  return { ...count, 'agreed per second': Math.round(count.agreed / seconds) }
}
