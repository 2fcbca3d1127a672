import { expect, test } from 'vitest'
import { botOrdersMax, outboxOrdersMax } from '../../wire/limits.ts'
import { ClientWorld } from '../testing/client-world.ts'
import { addBytes, counter, ownOrder } from '../testing/counter.ts'
import { ownMember } from '../testing/rooms.ts'
import { BotOutbox } from './bot-outbox.ts'

const here = { seat: 2, runner: 7, turn: 1, nextOrder: 0 }

function make() {
  const outbox = new BotOutbox()
  expect(outbox.assign(here, 7)).toBe(true)
  return outbox
}

const bytes = (value: number) => Uint8Array.of(value)

/** Everything that is sent now, as numbers. */
function sent(outbox: BotOutbox): number[] {
  const numbers: number[] = []
  for (let body = outbox.take(); body; body = outbox.take()) {
    const { firstNumber } = body
    numbers.push(...body.orders.map((_, index) => firstNumber + index))
  }
  return numbers
}

test('a bot is here while the relay says that we run it', () => {
  const outbox = new BotOutbox()
  expect(outbox.issue(2, bytes(1))).toBe(false)
  expect([outbox.assign({ ...here, runner: 8 }, 7), outbox.has(2)]).toEqual([false, false])
  expect([outbox.assign(here, 7), outbox.has(2), outbox.seats]).toEqual([true, true, [2]])
  expect(outbox.assign(here, 7)).toBe(false)
  expect([outbox.assign({ ...here, runner: undefined, turn: 2 }, 7), outbox.seats]).toEqual([
    true,
    [],
  ])
})

test('orders are numbered from where the relay says, and sent once', () => {
  const outbox = new BotOutbox()
  outbox.assign({ ...here, nextOrder: 3 }, 7)
  outbox.issue(2, bytes(1))
  outbox.issue(2, bytes(2))
  expect(outbox.take()).toEqual({ seat: 2, turn: 1, firstNumber: 3, orders: [bytes(1), bytes(2)] })
  expect(outbox.take()).toBeUndefined()
  outbox.issue(2, bytes(3))
  expect(sent(outbox)).toEqual([5])
})

test('many go in several messages, each no larger than a relay takes', () => {
  const outbox = make()
  for (let count = 0; count < botOrdersMax + 3; count++) outbox.issue(2, bytes(count))
  expect(outbox.take()?.orders).toHaveLength(botOrdersMax)
  expect(outbox.take()).toMatchObject({ firstNumber: botOrdersMax, orders: { length: 3 } })
})

test('after a new link, what the relay has not taken goes out again, and what it has does not', () => {
  const outbox = make()
  for (let count = 0; count < 5; count++) outbox.issue(2, bytes(count))
  expect(sent(outbox)).toEqual([0, 1, 2, 3, 4])
  expect(outbox.assign({ ...here, nextOrder: 3 }, 7)).toBe(false)
  expect(sent(outbox)).toEqual([3, 4])
  // A relay that expects more than there ever was, or less than is here, changes nothing more.
  outbox.assign({ ...here, nextOrder: 90 }, 7)
  expect(sent(outbox)).toEqual([])
  outbox.issue(2, bytes(5))
  outbox.assign({ ...here, nextOrder: 0 }, 7)
  expect(sent(outbox)).toEqual([5])
})

test('a bot that moves away takes its orders with it; one that comes back begins anew', () => {
  const outbox = make()
  outbox.issue(2, bytes(1))
  outbox.assign({ ...here, runner: 8, turn: 2 }, 7)
  expect([outbox.take(), outbox.issue(2, bytes(2))]).toEqual([undefined, false])
  outbox.assign({ ...here, turn: 3 }, 7)
  outbox.issue(2, bytes(9))
  expect(outbox.take()).toEqual({ seat: 2, turn: 3, firstNumber: 0, orders: [bytes(9)] })
})

test('a turn of which we missed the end is a new one all the same', () => {
  const outbox = make()
  outbox.issue(2, bytes(1))
  expect(outbox.assign({ ...here, turn: 5 }, 7)).toBe(true)
  expect(outbox.take()).toBeUndefined()
})

test('what is sealed is dropped, and what came before it: the relay had that', () => {
  const outbox = make()
  for (let count = 0; count < 4; count++) outbox.issue(2, bytes(count))
  sent(outbox)
  outbox.noteSealed({ seat: 2, id: 1, bytes: bytes(1) })
  outbox.noteSealed({ seat: 2, id: 1, bytes: bytes(1) })
  outbox.noteSealed({ seat: 3, id: 2, bytes: bytes(2) })
  // The low bits of another one, from long ago.
  outbox.noteSealed({ seat: 2, id: 2, bytes: bytes(9) })
  outbox.assign(here, 7)
  expect(sent(outbox)).toEqual([2, 3])
})

test('low bits find an order for ever', () => {
  const outbox = make()
  for (let number = 0; number < 600; number++) {
    expect(outbox.issue(2, bytes(0))).toBe(true)
    expect(sent(outbox)).toEqual([number])
    outbox.noteSealed({ seat: 2, id: number % 256, bytes: bytes(0) })
  }
})

test('an order of who ran the bot before us is not taken for one that we have not sent', () => {
  const outbox = make()
  outbox.issue(2, bytes(1))
  outbox.noteSealed({ seat: 2, id: 0, bytes: bytes(1) })
  expect(sent(outbox)).toEqual([0])
})

test('no more wait than an outbox holds; what is sealed makes room', () => {
  const outbox = make()
  for (let count = 0; count < outboxOrdersMax; count++) {
    expect(outbox.issue(2, bytes(count))).toBe(true)
  }
  expect(outbox.issue(2, bytes(0))).toBe(false)
  sent(outbox)
  outbox.noteSealed({ seat: 2, id: 9, bytes: bytes(9) })
  expect(outbox.issue(2, bytes(0))).toBe(true)
})

test('a match that is called off takes what waits with it, and no number', () => {
  const outbox = make()
  outbox.issue(2, bytes(1))
  outbox.forgetWaiting()
  outbox.issue(2, bytes(2))
  expect(outbox.take()).toMatchObject({ firstNumber: 0, orders: [bytes(2)] })
})

test('a client hears of its bots in the lobby, and sends their orders when ticks come', () => {
  const world = new ClientWorld().enterLobby()
  const { client } = world
  world.say('RelayBots', { bots: [{ seat: 1, runner: ownMember, turn: 1, nextOrder: 0 }] })
  world.say('RelayBots', { bots: [{ seat: 3, runner: 99, turn: 1, nextOrder: 0 }] })
  expect(world.eventsOf('bot')).toEqual([{ type: 'bot', seat: 1, isHere: true }])
  expect(client.botSeats).toEqual([1])
  expect(client.issueAs(1, 'add', { amount: 1 })).toBe(false)
  world.launch()
  expect(client.issueAs(1, 'add', { amount: 5 })).toBe(true)
  expect(() => client.issueAs(1, 'add', { amount: 1e9 })).toThrowError(/amount/)
  const messages = () => world.messages.filter(({ name }) => name === 'ClientBotOrders')
  world.settle()
  expect(messages()).toEqual([])
  world.tick()
  expect(messages()).toEqual([
    {
      name: 'ClientBotOrders',
      body: {
        seat: 1,
        turn: 1,
        firstNumber: 0,
        orders: [counter.orderCodec.encode('add', { amount: 5 })],
      },
    },
  ])
  world.tick({ orders: [ownOrder(0, addBytes(5), 1)] })
  expect(client.simulation?.state.sum.value).toBe(8)
  world.say('RelayBots', { bots: [{ seat: 1, runner: undefined, turn: 2, nextOrder: 0 }] })
  expect(world.eventsOf('bot').at(-1)).toEqual({ type: 'bot', seat: 1, isHere: false })
  expect(client.issueAs(1, 'add', { amount: 1 })).toBe(false)
})
