/** Matches that somebody begins and everybody leaves. */
import { RawMember } from '../loopback/raw-member.ts'
import { addressOf, wait } from '../loopback/sockets.ts'
import type { Attack, AttackCase, AttackResult, Target } from './attack.ts'
import { commonPromises, promise } from './promises.ts'

const perSecond = 150

/** Joins at the same time: below what one address may have of strangers. */
const joinsAtOnce = 12

/** What the relay allows one address when nobody says otherwise. */
const matchesPerAddress = 64

/** Makes matches and leaves them at once. */
export const abandoned: Attack = {
  name: 'abandoned',
  what: `begins ${perSecond} matches per second and hangs up in each`,
  cases: [
    caseOf('one process', ['--webrtc', 'off'], 1),
    // Each worker may count for itself.
    caseOf('2 workers', ['--workers', '2'], 2),
  ],
}

function caseOf(title: string, flags: readonly string[], workers: number): AttackCase {
  return {
    title,
    flags,
    run: abandon,
    promises: (outcome) => {
      const most = matchesPerAddress * workers * (outcome.did.addresses ?? 1)
      const others = outcome.idle.matches + 1
      return [
        ...commonPromises(outcome, { growthMibMax: 80 }),
        promise(
          `one address has at most ${most} matches: ${outcome.matchesMost - others}`,
          outcome.matchesMost <= most + others,
        ),
        promise(`the others are refused: ${outcome.did.refused}`, (outcome.did.refused ?? 0) > 0),
      ]
    },
  }
}

async function abandon({ port, seconds, addresses }: Target): Promise<AttackResult> {
  const count = { addresses, begun: 0, refused: 0 }
  let tried = 0
  let open = 0
  const fromMs = performance.now()
  const untilMs = fromMs + seconds * 1_000
  const begin = async (at: number) => {
    open++
    const member = await RawMember.join(port, addressOf(at, addresses), { match: `left ${at}` })
    open--
    if (member instanceof RawMember) {
      count.begun++
      member.hangUp()
    } else count.refused++
  }
  while (performance.now() < untilMs) {
    const due = ((performance.now() - fromMs) / 1_000) * perSecond
    while (tried < due && open < joinsAtOnce) void begin(tried++)
    await wait(2)
  }
  while (open > 0) await wait(20)
  return count
}
