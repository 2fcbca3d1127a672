import type { Channel } from '../../link/channel.ts'
import type { AnyField } from '../../sim/schema/index.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { BotInputs } from './bot-inputs.ts'
import type { BotPlace } from './bot-outbox.ts'
import { BotOutbox } from './bot-outbox.ts'

/** Orders and inputs of the bots that this client runs. Bots are already assigned in the lobby. */
export class BotDesk {
  readonly orders = new BotOutbox()
  readonly inputs: BotInputs

  constructor(fields: { readonly [name: string]: AnyField }) {
    this.inputs = new BotInputs(fields)
  }

  /** The relay assigns a bot to a client. Returns whether that is a change for this client. */
  assign(body: BotPlace, member: number): boolean {
    const isNews = this.orders.assign(body, member)
    this.inputs.assign(body.seat, body.turn, this.orders.has(body.seat))
    return isNews
  }

  /** Sends the bots' orders and inputs. Returns whether there were any. */
  send(channel: Channel, nowMs: number): boolean {
    let isSaid = false
    for (let body = this.orders.take(); body; body = this.orders.take()) {
      channel.sendControl(encodeMessage('ClientBotOrders', body), nowMs)
      isSaid = true
    }
    for (let body = this.inputs.take(); body; body = this.inputs.take()) {
      channel.sendControl(encodeMessage('ClientBotInput', body), nowMs)
      isSaid = true
    }
    return isSaid
  }

  /** Back in the lobby: drops everything queued for the cancelled match. */
  forget(): void {
    this.orders.forgetWaiting()
    this.inputs.forgetAll()
  }
}
