import { orderOf, testConfig } from '../src/relay/testing/match-kit.ts'
import { RelayWorld } from '../src/relay/testing/relay-world.ts'
import type { ScriptedClient } from '../src/relay/testing/scripted-client.ts'
import type { MatchConfig } from '../src/wire/messages/match-config.ts'
import { lobbyDefaults } from '../src/wire/messages/match-config.ts'
import { encodeMessage } from '../src/wire/messages/messages.ts'
import { writeAction } from '../src/wire/messages/room-actions.ts'
import type { Column, Row } from './state-tables.ts'

/** A relay, and the link of it that is looked at. */
export type RelayStage = { readonly world: RelayWorld; readonly client: ScriptedClient }

const garbage = Uint8Array.of(0x3d, 1, 2, 3)
const launch = encodeMessage('RelayLaunch', { options: new Uint8Array(0), seat: 0 })

/** A match that its owner starts, and that counts down when both have loaded. */
const lobbyConfig: MatchConfig = {
  ...testConfig,
  lobby: { ...lobbyDefaults, start: 'by-owner' },
}

function relayStage(bring: (world: RelayWorld, client: ScriptedClient) => void): () => RelayStage {
  return () => {
    const world = new RelayWorld({ deferTurns: false })
    const client = world.connect('datagram')
    bring(world, client)
    world.settle()
    client.messages.splice(0)
    client.bundles.splice(0)
    world.events.splice(0)
    return { world, client }
  }
}

/** Two players, of whom the first is the one that is looked at, and how far they go together. */
function inMatch(phase: 'lobby' | 'loading' | 'countdown' | 'running'): () => RelayStage {
  return relayStage((world, client) => {
    client.hello()
    client.join({ config: lobbyConfig })
    const other = world.join({ config: lobbyConfig })
    other.isConfirming = true
    const isLoaded = phase === 'countdown' || phase === 'running'
    if (phase !== 'lobby') client.act({ type: 'start' })
    if (phase !== 'lobby') other.act({ type: 'report-load', progress: 100 })
    if (isLoaded) client.act({ type: 'report-load', progress: 100 })
    world.run(phase === 'running' ? 3_000 : 120)
    client.say('ClientHere', { activity: 'active' })
    world.run(120)
  })
}

/** Where a link can be. */
export const relayColumns: readonly Column<RelayStage>[] = [
  { title: 'stranger', make: relayStage(() => {}) },
  { title: 'known', make: relayStage((_, client) => client.hello()) },
  {
    title: 'challenged',
    make: relayStage((world, client) => {
      const ticket = new Uint8Array(16).fill(3)
      const first = world.join({ config: lobbyConfig, ticket })
      world.breakLink(first)
      client.secret = undefined
      client.hello()
      client.join({ config: lobbyConfig, ticket })
    }),
  },
  { title: 'seated, lobby', make: inMatch('lobby') },
  { title: 'seated, loading', make: inMatch('loading') },
  { title: 'seated, countdown', make: inMatch('countdown') },
  { title: 'seated, running', make: inMatch('running') },
  {
    title: 'ending',
    make: relayStage((_, client) => {
      // The farewell does not arrive, so it is not over.
      client.isDeaf = true
      client.say('ClientLeave', { reason: '' })
    }),
  },
]

/** What can happen to it. */
export const relayRows: readonly Row<RelayStage>[] = [
  { title: '`ClientHello`', act: ({ client }) => client.hello() },
  {
    title: '`ClientHello` of another protocol',
    act: ({ client }) => client.hello({ protocols: ['x'] }),
  },
  { title: '`ClientJoin`', act: ({ client }) => client.join({ config: lobbyConfig }) },
  {
    title: '`ClientJoin` with a wrong ticket',
    act: ({ client }) => {
      client.join({ match: 'friday', ticket: new Uint8Array(16).fill(255), nextTick: 2 })
    },
  },
  {
    title: '`ClientProof`, wrong',
    act: ({ client }) => client.say('ClientProof', { isMove: false, proof: new Uint8Array(32) }),
  },
  {
    title: '`ClientRecover`, which nobody asked for',
    act: ({ client }) =>
      client.say('ClientRecover', {
        ...{ proof: new Uint8Array(32), backTick: 0, capsule: new Uint8Array(0) },
        ...{ tags: [], firstTick: 0, count: 0 },
      }),
  },
  {
    title: '`ClientHistory`, which nobody asked for',
    act: ({ client }) => client.say('ClientHistory', { bytes: new Uint8Array(0) }),
  },
  {
    title: '`ClientTurn`',
    act: ({ client }) => client.turn({ received: 0, orders: [orderOf(1)] }),
  },
  { title: '`ClientTurn` against the rules', act: ({ client }) => client.turn({ received: 90 }) },
  {
    title: '`ClientAct`: a line of chat',
    act: ({ client }) => client.act({ type: 'say', scope: 'all', text: 'hello' }),
  },
  {
    title: '`ClientAct`: a start, by the owner',
    act: ({ client }) => client.act({ type: 'start' }),
  },
  {
    title: '`ClientAct`: loaded',
    act: ({ client }) => client.act({ type: 'report-load', progress: 100 }),
  },
  {
    title: '`ClientAct`: a cancel, by the owner',
    act: ({ client }) => client.act({ type: 'cancel' }),
  },
  { title: '`ClientAct`: a pause', act: ({ client }) => client.act({ type: 'pause' }) },
  {
    title: '`ClientAct`: a vote that two cannot hold',
    act: ({ client }) => client.act({ type: 'propose', vote: 'kick', target: 1, percent: 0 }),
  },
  {
    title: '`ClientAct`: a bot for a seat that is taken',
    act: ({ client }) => client.act({ type: 'add-bot', seat: 1 }),
  },
  {
    title: '`ClientAct` of no kind',
    act: ({ client }) =>
      client.say('ClientAct', { ...writeAction({ type: 'pause' }), action: 'fly' }),
  },
  {
    title: '`ClientBotOrders` for no bot of the sender',
    act: ({ client }) => {
      client.say('ClientBotOrders', { seat: 1, turn: 1, firstNumber: 0, orders: [orderOf(1)] })
    },
  },
  {
    title: '`ClientBotInput` for no bot of the sender',
    act: ({ client }) => client.say('ClientBotInput', { seat: 1, turn: 1, slots: [] }),
  },
  {
    title: '`ClientHere`',
    act: ({ client }) => client.say('ClientHere', { activity: 'hidden' }),
  },
  {
    title: '`ClientState`, which nobody asked for',
    act: ({ client }) => client.say('ClientState', { tick: 9, hash: new Uint8Array(32) }),
  },
  {
    title: '`ClientProbe`, which nobody asked for',
    act: ({ client }) =>
      client.say('ClientProbe', { number: 1, outcome: 'answered', answer: new Uint8Array(4) }),
  },
  {
    title: '`ClientManifest`, which nobody asked for',
    act: ({ client }) => {
      const hash = new Uint8Array(32)
      const chunkHashes = new Uint8Array(16)
      client.say('ClientManifest', { tick: 9, hash, isAgreed: false, bytes: 4, chunkHashes })
    },
  },
  {
    title: '`ClientChunk`, which nobody asked for',
    act: ({ client }) => {
      const content = new Uint8Array(4)
      client.say('ClientChunk', { tick: 9, index: 0, isDeflated: false, content })
    },
  },
  {
    title: '`ClientFetch` of a state that was not offered',
    act: ({ client }) => client.say('ClientFetch', { tick: 9, first: 0, count: 1 }),
  },
  {
    title: '`ClientLoaded` of a state that was not offered',
    act: ({ client }) => client.say('ClientLoaded', { tick: 9, isGood: true }),
  },
  { title: '`ClientLeave`', act: ({ client }) => client.say('ClientLeave', { reason: '' }) },
  { title: 'a message of relays', act: ({ client }) => client.sayBytes(launch) },
  { title: 'bytes of no message', act: ({ client }) => client.sayBytes(garbage) },
  { title: 'the channel is closed by the client', act: ({ client }) => client.close() },
  { title: 'the transport loses the link', act: ({ world, client }) => world.breakLink(client) },
  {
    title: 'an operator removes the player',
    act: ({ world }) => {
      world.relay.kick('friday', 0, world.nowMs)
      world.settle()
    },
  },
  {
    title: 'six seconds pass, in which the client is there and says nothing',
    act: ({ world }) => world.run(6_000),
  },
  {
    title: 'two minutes pass without a sign of the client',
    act: ({ world, client }) => {
      client.vanish()
      world.run(120_000)
    },
  },
]

function relayReaction({ world, client }: RelayStage): string {
  const parts: string[] = []
  const add = (text: string) => {
    if (!parts.includes(text)) parts.push(text)
  }
  for (const { name, body } of client.messages) {
    add(`\`${name}\`${'reason' in body ? ` (${body.reason})` : ''}`)
  }
  if (client.bundles.length > 0) parts.push('`RelayBundles`')
  for (const event of world.events) {
    if (event.type === 'left') parts.push(`the seat is left (${event.reason})`)
    if (event.type === 'phase') parts.push(`the match: ${event.phase}`)
    if (event.type === 'presence' && event.member === 0) add(`seen as ${event.event}`)
  }
  const match = world.relay.matches.get('friday')
  const own = (match?.sessions ?? []).find(({ member }) => member.id === 0)
  if ((match?.sealer.waitingOrders ?? 0) > 0) parts.push('its orders wait for the next tick')
  if ((own?.control.openRefusals ?? 0) > 0) parts.push('its orders are refused')
  if ((own?.guard.strikes.total ?? 0) > 0) parts.push('a strike')
  // What a farewell over datagrams still has to repeat is over soon.
  if (client.closedWith === undefined && client.body('RelayClose') !== undefined) world.run(5_000)
  if (client.closedWith === undefined && client.body('RelayRefuse') !== undefined) world.run(5_000)
  const isWaiting = own !== undefined && own.channel === undefined && own.member.isIn
  if (isWaiting) parts.push('the session waits for its ticket')
  if (client.closedWith !== undefined) parts.push(`closed ${client.closedWith}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

/** What a relay does in one state with one thing. */
export function observeRelay(column: Column<RelayStage>, row: Row<RelayStage>): string {
  const stage = column.make()
  row.act(stage)
  return relayReaction(stage)
}
