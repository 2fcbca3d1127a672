/** Strangers who come in, and use what members may do. */
import type { Prng } from '../../../packages/samestep/src/base/prng.ts'
import { encodeHello } from '../../../packages/samestep/src/client/conversation/words.ts'
import { makeConfig } from '../../../packages/samestep/src/client/membership/match-config.ts'
import type { RoomAction } from '../../../packages/samestep/src/wire/messages/room-actions.ts'
import { type MemberPlan, RawMember } from '../../loopback/raw-member.ts'
import { wait } from '../../loopback/sockets.ts'
import { seatCount, soakGame } from '../../soak/game.ts'
import { nearMessage, turns } from '../material.ts'
import type { Act, Repertoire, Scene } from '../stranger.ts'

/** What honest players play: a watcher says the same. */
const honestGame = {
  hello: encodeHello(soakGame),
  config: makeConfig(soakGame, { match: '', name: '', seats: seatCount }),
}

/** Names that somebody may give a match or himself: checked, and refused or taken as they are. */
const oddNames = [
  '__proto__',
  'constructor',
  'a'.repeat(64),
  '\u202eevil',
  '\u009b31mred',
  '\u0000',
  'é',
  'é',
  ' ',
  '🎲🎲🎲',
  '../../x',
]

/** Joins a match; acts; leaves, or is gone. */
async function withMember(
  scene: Scene,
  plan: MemberPlan,
  act: (member: RawMember) => Promise<void> | void,
): Promise<void> {
  const { random, port, address } = scene
  const member = await RawMember.join(port, address, plan)
  if (!(member instanceof RawMember)) return
  await act(member)
  await wait(random.below(300))
  if (random.chance(0.4)) member.hangUp()
  else member.leave()
  await wait(20)
  member.socket.destroy()
}

function ownPlan(random: Prng): MemberPlan {
  return {
    match: `stranger-${random.below(12)}`,
    name: random.chance(0.2) ? random.pick(oddNames) : `Stranger ${random.below(100)}`,
    role: random.chance(0.3) ? 'spectator' : 'player',
    seats: random.pick([1, 2, 8, 64]),
    lobby: {
      start: random.pick(['when-full', 'when-ready', 'by-owner']),
      lateJoin: random.pick(['players', 'spectators', 'nobody']),
      countdownMs: random.below(1_000),
      emptyMs: random.below(2_000),
      spectatorsReach: random.pick(['spectators', 'all']),
    },
  }
}

function anyAction(random: Prng): RoomAction {
  const [number, flag] = [random.below(random.chance(0.8) ? 8 : 300), random.chance(0.5)]
  return random.pick<RoomAction>([
    { type: 'take-seat', seat: number },
    { type: 'leave-seat' },
    { type: 'choose-team', team: number },
    { type: 'set-ready', isReady: flag, optionsRevision: number },
    { type: 'report-load', progress: number },
    { type: 'set-options', options: new Uint8Array(number) },
    { type: 'lock-seat', seat: number, isLocked: flag },
    { type: 'kick', member: number },
    { type: 'give-ownership', member: number },
    { type: 'set-visibility', visibility: random.pick(['public', 'unlisted', 'local']) },
    { type: 'set-late-join', lateJoin: random.pick(['players', 'spectators', 'nobody']) },
    { type: 'start' },
    { type: 'cancel' },
    { type: 'say', scope: random.pick(['all', 'team', 'spectators']), text: sayingOf(random) },
    { type: 'mute', member: number, isMuted: flag },
    { type: 'pause' },
    { type: 'resume' },
    { type: 'set-speed', percent: number },
    { type: 'propose', vote: random.pick(['kick', 'mute', 'pause']), target: number, percent: 0 },
    { type: 'cast', id: number, isYes: flag },
    { type: 'add-bot', seat: number },
    { type: 'remove-bot', seat: number },
  ])
}

function sayingOf(random: Prng): string {
  return random.chance(0.3) ? random.pick(oddNames) : 'x'.repeat(random.below(512))
}

async function actWildly(random: Prng, member: RawMember): Promise<void> {
  for (let left = random.below(60); left > 0; left--) {
    member.act(anyAction(random))
    if (random.chance(0.3)) member.sayHere(random.chance(0.5) ? 'hidden' : 'active')
    if (random.chance(0.2)) await wait(random.below(60))
  }
}

/** Bots of two players who are hidden in turns. */
const flipBots: Act = async (scene) => {
  const { random, port, address } = scene
  const match = `bots-${random.below(1_000)}`
  const plan: MemberPlan = { match, seats: 34, lobby: { start: 'by-owner' } }
  await withMember(scene, plan, async (owner) => {
    const other = await RawMember.join(port, address, plan)
    for (let seat = 2; seat < 34; seat++) owner.act({ type: 'add-bot', seat })
    for (let left = random.below(200); left > 0; left--) {
      const [first, second] = left % 2 === 0 ? [owner, other] : [other, owner]
      if (first instanceof RawMember) first.sayHere('active')
      if (second instanceof RawMember) second.sayHere('hidden')
      if (left % 4 === 0) await wait(5)
    }
    if (other instanceof RawMember) other.hangUp()
  })
}

/** What strangers do once they are members of a match. */
export const memberActs: Repertoire = {
  'join and go': (scene) => withMember(scene, ownPlan(scene.random), () => {}),

  'odd match name': (scene) => withMember(scene, { match: scene.random.pick(oddNames) }, () => {}),

  'wild acts': (scene) =>
    withMember(scene, ownPlan(scene.random), (member) => actWildly(scene.random, member)),

  'wild acts of a watcher': (scene) => {
    const match = scene.random.pick(scene.honestMatches)
    const plan: MemberPlan = { match, role: 'spectator', game: honestGame }
    return withMember(scene, plan, (member) => actWildly(scene.random, member))
  },

  'turns of a member': (scene) =>
    withMember(scene, { ...ownPlan(scene.random), seats: 1 }, async (member) => {
      const { random } = scene
      for (let left = random.below(100); left > 0; left--) {
        member.send(random.chance(0.5) ? random.pick(turns) : nearMessage(random))
        if (random.chance(0.1)) await wait(random.below(40))
      }
    }),

  chat: (scene) =>
    withMember(scene, ownPlan(scene.random), (member) => {
      for (let left = scene.random.below(100); left > 0; left--) {
        member.act({ type: 'say', scope: 'all', text: sayingOf(scene.random) })
      }
    }),

  'presence flips': (scene) =>
    withMember(scene, ownPlan(scene.random), async (member) => {
      for (let left = scene.random.below(2_000); left > 0; left--) {
        member.sayHere(left % 2 === 0 ? 'hidden' : 'active')
        if (left % 200 === 0) await wait(5)
      }
    }),

  'bots that change hands': flipBots,

  'an unread match': (scene) =>
    withMember(scene, ownPlan(scene.random), async ({ socket }) => {
      socket.pause()
      await wait(scene.random.below(3_000))
    }),
}
