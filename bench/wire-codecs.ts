/**
 * Other ways to send what players do, by their sizes: how many bytes a tick of all players takes. Each is
 * what its project documents, not its code; packet headers of the transport are nobody's here.
 */
import { Packr } from 'msgpackr'
import type { Controls, Trace, TraceOrder } from './traces.ts'

/** The bytes that one codec takes for a whole trace. */
export type SizeOf = (trace: Trace) => number

/** What one player does in one tick, as a game without a schema would write it. */
export type LooseInput = {
  readonly tick: number
  readonly player: number
  readonly input?: Controls
  readonly orders?: readonly TraceOrder[]
}

/** One player's input in one tick as an object. */
export function looseInput(trace: Trace, tick: number, player: number): LooseInput {
  const index = tick * trace.players + player
  const order = trace.orders[index]
  if (trace.name === 'rts') return { tick, player, orders: order === undefined ? [] : [order] }
  return { tick, player, input: trace.inputs[index] as Controls }
}

/** All that happens in one tick, as an object. */
export function looseTick(trace: Trace, tick: number): object {
  const seats = Array.from({ length: trace.players }, (_, player) => player)
  if (trace.name === 'rts') {
    const orders = seats.flatMap((player) => {
      const order = trace.orders[tick * trace.players + player]
      return order === undefined ? [] : [{ player, ...order }]
    })
    return { tick, orders }
  }
  return { tick, inputs: seats.map((player) => trace.inputs[tick * trace.players + player]) }
}

function sumTicks(trace: Trace, bytesOf: (tick: number) => number): number {
  let sum = 0
  for (let tick = 0; tick < trace.ticks; tick++) sum += bytesOf(tick)
  return sum
}

function sumInputs(trace: Trace, bytesOf: (tick: number, player: number) => number): number {
  return sumTicks(trace, (tick) => {
    let sum = 0
    for (let player = 0; player < trace.players; player++) sum += bytesOf(tick, player)
    return sum
  })
}

const jsonPerInput: SizeOf = (trace) =>
  sumInputs(trace, (tick, player) => JSON.stringify(looseInput(trace, tick, player)).length)

const jsonCombined: SizeOf = (trace) =>
  sumTicks(trace, (tick) => JSON.stringify(looseTick(trace, tick)).length)

/** With its records extension, which sends the names of fields once and not each time. */
const msgpackrPerInput: SizeOf = (trace) => {
  const packr = new Packr({ structures: [] })
  return sumInputs(trace, (tick, player) => packr.pack(looseInput(trace, tick, player)).length)
}

const msgpackrCombined: SizeOf = (trace) => {
  const packr = new Packr({ structures: [] })
  return sumTicks(trace, (tick) => packr.pack(looseTick(trace, tick)).length)
}

/** Bytes of one player's input with every field at its full width; of an order, in the strategy game. */
const structBytes = { doom: 5, idle: 5, arcade: 2, rts: 6 } as const

/** Bytes of header, flags and tick of Astranyx's FrameInput (WIR-03). */
const frameInputHead = 4

/** Astranyx: one message per input, with the bits of all buttons; a ticcmd takes their place in Doom. */
const frameInput: SizeOf = (trace) =>
  sumInputs(trace, (tick, player) => {
    const isThere =
      trace.name !== 'rts' || trace.orders[tick * trace.players + player] !== undefined
    return frameInputHead + (isThere ? structBytes[trace.name] : 0)
  })

/** A tick of two bytes and everybody's fields at their full width. */
const fixedStruct: SizeOf = (trace) => trace.ticks * (2 + trace.players * structBytes[trace.name])

/** Type 2, acknowledgement 1, start 1, count 1, latency 2, who is in the game 1 (WIR-07, WIR-08). */
const chocolateHead = 8

/** The buttons of a ticcmd share a byte. */
function buttonsOf(held: Controls): number {
  const { fire, use, weapon } = held
  return (fire === true ? 1 : 0) | (use === true ? 2 : 0) | (Number(weapon) << 3)
}

function changedBytes(trace: Trace, index: number): number {
  const held = trace.inputs[index] as Controls
  const before = trace.inputs[index - trace.players]
  if (trace.name === 'rts') return trace.orders[index] === undefined ? 0 : structBytes.rts
  if (before === undefined) return structBytes[trace.name]
  if (trace.name === 'arcade') {
    return Object.keys(held).some((name) => held[name] !== before[name]) ? structBytes.arcade : 0
  }
  return (
    (held.forward === before.forward ? 0 : 1) +
    (held.side === before.side ? 0 : 1) +
    (held.turn === before.turn ? 0 : 2) +
    (buttonsOf(held) === buttonsOf(before) ? 0 : 1)
  )
}

/** Chocolate Doom: a mask of changed fields for each player, and the fields (WIR-05). */
const chocolateDiff: SizeOf = (trace) =>
  sumTicks(trace, () => chocolateHead) +
  sumInputs(trace, (tick, player) => 1 + changedBytes(trace, tick * trace.players + player))

/** All of them, by name. */
export const otherCodecs: { readonly [name: string]: SizeOf } = {
  'JSON per input': jsonPerInput,
  'JSON combined': jsonCombined,
  'msgpackr per input': msgpackrPerInput,
  'msgpackr combined': msgpackrCombined,
  'Astranyx FrameInput': frameInput,
  'fixed struct': fixedStruct,
  'Chocolate Doom diff': chocolateDiff,
}
