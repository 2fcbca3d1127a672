/**
 * The tables of `docs/state-machines.md`: what a relay does with everything that a link can bring, in
 * every state of the link, and what a client does. They are not written but observed: each cell is a
 * machine of its own, brought into the state, given the one thing, and looked at.
 */
import { addBytes, ClientWorld } from '../src/client/testing/client-world.ts'
import { orderOf } from '../src/relay/testing/match-kit.ts'
import type { ScriptedClient } from '../src/relay/testing/relay-world.ts'
import { RelayWorld } from '../src/relay/testing/relay-world.ts'
import { encodeMessage } from '../src/wire/messages.ts'

type Row<S> = { readonly title: string; readonly act: (stage: S) => void }
type Column<S> = { readonly title: string; readonly make: () => S }

type RelayStage = { readonly world: RelayWorld; readonly client: ScriptedClient }

const garbage = Uint8Array.of(0x3d, 1, 2, 3)
const gathering = encodeMessage('RelayGathering', { takenSeats: 1, seats: 2 })
const leaving = encodeMessage('ClientLeave', { reason: '' })

function relayStage(bring: (world: RelayWorld, client: ScriptedClient) => void): () => RelayStage {
  return () => {
    const world = new RelayWorld()
    const client = world.connect('datagram')
    bring(world, client)
    world.settle()
    client.messages.splice(0)
    client.bundles.splice(0)
    world.events.splice(0)
    return { world, client }
  }
}

function joinAs(client: ScriptedClient): void {
  client.hello()
  client.join()
}

const relayColumns: readonly Column<RelayStage>[] = [
  { title: 'stranger', make: relayStage(() => {}) },
  { title: 'known', make: relayStage((_, client) => client.hello()) },
  {
    title: 'seated, gathering',
    make: relayStage((world, client) => {
      joinAs(client)
      world.run(10)
    }),
  },
  {
    title: 'seated, running',
    make: relayStage((world, client) => {
      joinAs(client)
      world.join().isConfirming = true
      world.run(120)
    }),
  },
  {
    title: 'ending',
    make: relayStage((_, client) => {
      // The farewell does not arrive, so it is not over.
      client.isDeaf = true
      client.say('ClientLeave', { reason: '' })
    }),
  },
]

const relayRows: readonly Row<RelayStage>[] = [
  { title: '`ClientHello`', act: ({ client }) => client.hello() },
  {
    title: '`ClientHello` of another protocol',
    act: ({ client }) => client.hello({ protocols: ['x'] }),
  },
  { title: '`ClientJoin`', act: ({ client }) => client.join() },
  {
    title: '`ClientJoin` with a wrong ticket',
    act: ({ client }) => {
      client.join({ match: 'friday', ticket: new Uint8Array(16).fill(255), nextTick: 2 })
    },
  },
  {
    title: '`ClientTurn`',
    act: ({ client }) => client.turn({ received: 0, orders: [orderOf(1)] }),
  },
  { title: '`ClientTurn` against the rules', act: ({ client }) => client.turn({ received: 90 }) },
  { title: '`ClientLeave`', act: ({ client }) => client.say('ClientLeave', { reason: '' }) },
  { title: 'a message of relays', act: ({ client }) => client.sayBytes(gathering) },
  { title: 'bytes of no message', act: ({ client }) => client.sayBytes(garbage) },
  { title: 'the channel is closed by the client', act: ({ client }) => client.close() },
  { title: 'the transport loses the link', act: ({ world, client }) => world.breakLink(client) },
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
  for (const { name, body } of client.messages) {
    const reason = 'reason' in body ? ` (${body.reason})` : ''
    const text = `\`${name}\`${reason}`
    if (!parts.includes(text)) parts.push(text)
  }
  if (client.bundles.length > 0) parts.push('`RelayBundles`')
  for (const event of world.events) {
    if (event.type === 'left') parts.push(`the seat is left (${event.reason})`)
    if (event.type === 'ended') parts.push('the match ends')
  }
  const match = world.relay.matches.get('friday')
  if ((match?.sealer.waitingOrders ?? 0) > 0) parts.push('its orders wait for the next tick')
  // What a farewell over datagrams still has to repeat is over soon.
  if (client.closedWith === undefined && client.body('RelayClose') !== undefined) world.run(5_000)
  if (client.closedWith === undefined && client.body('RelayRefuse') !== undefined) world.run(5_000)
  const isWaiting = [...(match?.sessions ?? [])].some(({ channel }) => channel === undefined)
  if (isWaiting) parts.push('the session waits for its ticket')
  if (client.closedWith !== undefined) parts.push(`closed ${client.closedWith}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

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

const welcome = encodeMessage('RelayWelcome', { protocol: 'samestep/1' })

const clientColumns: readonly Column<ClientWorld>[] = [
  { title: 'linkless', make: clientStage((world) => world.wait(0)) },
  { title: 'greeting', make: clientStage((world) => world.open()) },
  {
    title: 'joining',
    make: clientStage((world) => {
      world.open()
      world.sayBytes(welcome)
    }),
  },
  { title: 'seated', make: clientStage((world) => world.sit()) },
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

const clientRows: readonly Row<ClientWorld>[] = [
  {
    title: 'a link opens',
    act: (world) => world.open(),
  },
  deliver('`RelayWelcome`', () => welcome),
  deliver('`RelaySeated`', ({ seated }) => encodeMessage('RelaySeated', seated)),
  deliver('`RelayGathering`', () => gathering),
  deliver('`RelayBundles`', (world) => {
    world.seal()
    return Uint8Array.of(0x80, 1, ...(world.sealed[0] as Uint8Array))
  }),
  deliver('`RelayRefuse`', () => encodeMessage('RelayRefuse', refusal)),
  deliver('`RelayClose`', () => encodeMessage('RelayClose', { reason: 'kicked', message: 'Out' })),
  deliver('a message of clients', () => leaving),
  deliver('bytes of no message', () => garbage),
  { title: 'the transport loses the link', act: (world) => world.breakLink() },
  { title: 'six seconds of silence', act: (world) => world.wait(6_000) },
  {
    title: 'the player issues an order',
    act: (world) => {
      try {
        world.client.issueBytes(addBytes(1))
      } catch (error) {
        world.events.push({ type: 'closed', reason: (error as { code: string }).code, message: '' })
      }
      world.settle()
    },
  },
  {
    title: 'the player leaves',
    act: (world) => {
      world.client.leave(world.nowMs)
      world.settle()
    },
  },
]

function clientReaction(world: ClientWorld, statusBefore: string): string {
  const parts: string[] = []
  for (const { name } of world.messages) parts.push(`\`${name}\``)
  if (world.turns.length > 0) parts.push('`ClientTurn`')
  const { simulatedTick } = world.client.cursors
  if (simulatedTick > 0) parts.push('the tick runs')
  if (world.client.pendingOrders > 0) parts.push('the order is kept')
  for (const event of world.events) {
    if (event.type !== 'closed') parts.push(`event ${event.type}`)
    else if (event.reason.startsWith('SS_')) parts.push(`throws \`${event.reason}\``)
    else parts.push(`event closed (${event.reason})`)
  }
  const isWaiting = world.channel === undefined && Number.isFinite(world.client.wakeAtMs())
  if (isWaiting) parts.push('another link is wanted later')
  const { status } = world.client
  if (status !== statusBefore) parts.push(`now ${status}`)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

function tableOf<S>(
  columns: readonly Column<S>[],
  rows: readonly Row<S>[],
  observe: (column: Column<S>, row: Row<S>) => string,
): string {
  const lines = [
    `| | ${columns.map(({ title }) => title).join(' | ')} |`,
    `|---|${columns.map(() => '---').join('|')}|`,
  ]
  for (const row of rows) {
    const cells = columns.map((column) => observe(column, row))
    lines.push(`| **${row.title}** | ${cells.join(' | ')} |`)
  }
  return lines.join('\n')
}

/** The tables by the names of their markers. */
export function makeStateTables(): ReadonlyMap<string, string> {
  const relay = tableOf(relayColumns, relayRows, (column, row) => {
    const stage = column.make()
    row.act(stage)
    return relayReaction(stage)
  })
  const client = tableOf(clientColumns, clientRows, (column, row) => {
    const world = column.make()
    const before = world.client.status
    row.act(world)
    return clientReaction(world, before)
  })
  return new Map([
    ['relay links', relay],
    ['client', client],
  ])
}

const begin = (name: string) => `<!-- table: ${name} -->`
const end = '<!-- end of table -->'

/** What a page has between the markers of a table; throws when it has none. */
export function readTable(page: string, name: string): string {
  const start = page.indexOf(begin(name))
  const stop = page.indexOf(end, start)
  if (start < 0 || stop < 0) throw new Error(`The page has no table '${name}'`)
  return page.slice(start + begin(name).length, stop).trim()
}

/** The page with a table put between its markers. */
export function putTable(page: string, name: string, table: string): string {
  const start = page.indexOf(begin(name))
  const stop = page.indexOf(end, start)
  if (start < 0 || stop < 0) throw new Error(`The page has no table '${name}'`)
  return `${page.slice(0, start)}${begin(name)}\n\n${table}\n\n${page.slice(stop)}`
}
