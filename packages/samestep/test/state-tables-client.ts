import { ClientWorld } from '../src/client/testing/client-world.ts'
import { addBytes, optionBytes } from '../src/client/testing/counter.ts'
import { roomOf } from '../src/client/testing/rooms.ts'
import type { MessageBody } from '../src/wire/messages/messages.ts'
import { encodeMessage } from '../src/wire/messages/messages.ts'
import type { Column, Row } from './state-tables.ts'

function clientStage(bring: (world: ClientWorld) => void): () => ClientWorld {
  return () => {
    const world = new ClientWorld()
    bring(world)
    world.settle()
    world.events.splice(0)
    world.messages.splice(0)
    world.turns.splice(0)
    return world
  }
}

const garbage = Uint8Array.of(0x3d, 1, 2, 3)
const leaving = encodeMessage('ClientLeave', { reason: '' })
const welcome = encodeMessage('RelayWelcome', { protocol: 'samestep/1' })

/** Where a client can be. */
export const clientColumns: readonly Column<ClientWorld>[] = [
  { title: 'linkless', make: clientStage((world) => world.wait(0)) },
  { title: 'greeting', make: clientStage((world) => world.open()) },
  {
    title: 'joining',
    make: clientStage((world) => {
      world.open()
      world.sayBytes(welcome)
    }),
  },
  { title: 'seated, lobby', make: clientStage((world) => world.enterLobby()) },
  {
    title: 'seated, launched',
    make: clientStage((world) => {
      world.enterLobby()
      world.launch()
    }),
  },
  {
    title: 'seated, running',
    make: clientStage((world) => {
      world.sit()
      world.tick()
    }),
  },
  {
    title: 'linkless, with a ticket',
    make: clientStage((world) => {
      world.sit()
      world.breakLink()
      world.wait(600)
    }),
  },
  {
    title: 'closed',
    make: clientStage((world) => {
      world.sit()
      world.client.leave(world.nowMs)
    }),
  },
]

/** On a stream a message is a packet, so it can be given to a client in any state. */
function deliver(title: string, bytes: (world: ClientWorld) => Uint8Array): Row<ClientWorld> {
  return {
    title,
    act: (world) => {
      world.client.handlePacket(bytes(world), world.nowMs)
      world.run()
    },
  }
}

const refusal = { reason: 'version', item: 'game', theirs: 'a', ours: 'b', message: 'No' }

const vote: MessageBody<'RelayVote'> = {
  id: 1,
  kind: 'pause',
  target: undefined,
  percent: 0,
  proposer: 1,
  yes: 1,
  no: 0,
  electors: 2,
  needed: 2,
  remainingMs: 30_000,
  state: 'open',
}

const stats: MessageBody<'RelayStats'> = {
  inputDelay: 3,
  requestedPercent: 100,
  effectivePercent: 100,
  comparedTick: 0,
  mismatches: 0,
  seats: [],
}

/** What the player asks of a client; what it throws is noted as an event. */
function ask(title: string, wish: (world: ClientWorld) => void): Row<ClientWorld> {
  return {
    title,
    act: (world) => {
      try {
        wish(world)
      } catch (error) {
        const reason = (error as { code: never }).code
        world.events.push({ type: 'closed', reason, message: '' })
      }
      world.settle()
    },
  }
}

const manifest = {
  tick: 9,
  hash: new Uint8Array(32),
  isAgreed: true,
  bytes: 4,
  chunkHashes: new Uint8Array(16),
}

/** What can happen to it. */
export const clientRows: readonly Row<ClientWorld>[] = [
  {
    title: 'a link opens',
    act: (world) => world.open(),
  },
  deliver('`RelayWelcome`', () => welcome),
  deliver('`RelayChallenge`', () => encodeMessage('RelayChallenge', { nonce: new Uint8Array(16) })),
  deliver('`RelayRecover`', () =>
    encodeMessage('RelayRecover', { nonce: new Uint8Array(16), wantsHistory: true }),
  ),
  deliver('`RelayTag`', () =>
    encodeMessage('RelayTag', { tick: 1, count: 1, tag: new Uint8Array(16), capsule: undefined }),
  ),
  deliver('`RelaySeated`', ({ seated }) => encodeMessage('RelaySeated', seated)),
  deliver('`RelaySeated`, in a lobby', ({ seated, lobbyConfig: config }) =>
    encodeMessage('RelaySeated', { ...seated, isLaunched: false, config }),
  ),
  deliver('`RelayRoom` of a lobby', () => encodeMessage('RelayRoom', roomOf('lobby'))),
  deliver('`RelayRoom` of a match that loads', () => encodeMessage('RelayRoom', roomOf('loading'))),
  deliver('`RelayRoom` of a match that runs', () => encodeMessage('RelayRoom', roomOf('running'))),
  deliver('`RelayLaunch`', () =>
    encodeMessage('RelayLaunch', { options: optionBytes(3), seat: 0 }),
  ),
  deliver('`RelayBundles`', (world) => {
    const tick = world.seal()
    return Uint8Array.of(0x80, tick, ...(world.sealed[tick - 1] as Uint8Array))
  }),
  deliver('`RelaySaid`', () => encodeMessage('RelaySaid', { member: 5, scope: 'all', text: 'a' })),
  deliver('`RelayVote`', () => encodeMessage('RelayVote', vote)),
  deliver('`RelayDenied`', () =>
    encodeMessage('RelayDenied', { action: 'pause', reason: 'already' }),
  ),
  deliver('`RelayBots` with one for this client', ({ seated }) =>
    encodeMessage('RelayBots', {
      bots: [{ seat: 1, runner: seated.member, turn: 1, nextOrder: 0 }],
    }),
  ),
  deliver('`RelayStats`', () => encodeMessage('RelayStats', stats)),
  deliver('`RelayDesync`', () =>
    encodeMessage('RelayDesync', {
      tick: 3,
      agreedTick: 2,
      groups: [[0], [1]],
      culprits: [],
      isSpectator: false,
    }),
  ),
  deliver('`RelayDebug`', () => encodeMessage('RelayDebug', { level: 1 })),
  deliver('`RelayFinding`', () =>
    encodeMessage('RelayFinding', {
      toldTick: 3,
      stage: 'located',
      tick: 3,
      isExact: true,
      place: undefined,
      writes: [],
      cause: undefined,
    }),
  ),
  deliver('`RelayResync`', () =>
    encodeMessage('RelayResync', { orderNumber: 0, seat: 0, seatTick: 0 }),
  ),
  deliver('`RelaySeat`, though no state is awaited', () =>
    encodeMessage('RelaySeat', { seat: undefined, seatTick: 9 }),
  ),
  deliver('`RelayProbe`', () =>
    encodeMessage('RelayProbe', { number: 1, kind: 'tree', ask: Uint8Array.of(1, 0, 0, 0) }),
  ),
  deliver('`RelayAskState`', () => encodeMessage('RelayAskState', { tick: 9 })),
  deliver('`RelayFetch`', () => encodeMessage('RelayFetch', { tick: 9, first: 0, count: 0 })),
  deliver('`RelayManifest`', () => encodeMessage('RelayManifest', manifest)),
  deliver('`RelayChunk`', () =>
    encodeMessage('RelayChunk', {
      tick: 9,
      index: 0,
      isDeflated: false,
      content: new Uint8Array(4),
    }),
  ),
  deliver('`RelayRefuse`', () => encodeMessage('RelayRefuse', refusal)),
  deliver('`RelayClose`', () => encodeMessage('RelayClose', { reason: 'kicked', message: 'Out' })),
  deliver('a message of clients', () => leaving),
  deliver('bytes of no message', () => garbage),
  { title: 'the transport loses the link', act: (world) => world.breakLink() },
  { title: 'six seconds of silence', act: (world) => world.wait(6_000) },
  ask('the player issues an order', ({ client }) => client.issueBytes(addBytes(1))),
  ask('the player asks for a pause', ({ client }) => client.act({ type: 'pause' })),
  ask('the game reports that it has loaded', ({ client }) => client.reportLoad(100)),
  ask('the player leaves', ({ client, nowMs }) => client.leave(nowMs)),
]

type ClientBefore = { readonly status: string; readonly tick: number }

function clientReaction(world: ClientWorld, before: ClientBefore): string {
  const parts: string[] = []
  for (const message of world.messages) {
    const { name } = message
    const text = name === 'ClientAct' ? `\`${name}\` (${message.body.action})` : `\`${name}\``
    if (!parts.includes(text)) parts.push(text)
  }
  if (world.turns.length > 0) parts.push('`ClientTurn`')
  const { simulatedTick } = world.client.cursors
  if (simulatedTick > before.tick) parts.push('the tick runs')
  if (world.client.pendingOrders > 0) parts.push('the order is kept')
  for (const event of world.events) {
    if (event.type !== 'closed') parts.push(`event ${event.type}`)
    else if (event.reason.startsWith('SS_')) parts.push(`throws \`${event.reason}\``)
    else parts.push(`event closed (${event.reason})`)
  }
  const isWaiting = world.channel === undefined && Number.isFinite(world.client.wakeAtMs())
  if (isWaiting) parts.push('another link is wanted later')
  const { status } = world.client
  if (status !== before.status) parts.push(`now ${status}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

/** What a client does in one state with one thing. */
export function observeClient(column: Column<ClientWorld>, row: Row<ClientWorld>): string {
  const world = column.make()
  const { status, cursors } = world.client
  const before = { status, tick: cursors.simulatedTick }
  row.act(world)
  return clientReaction(world, before)
}
