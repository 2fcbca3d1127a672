import type { MessageBody } from '../wire/messages/messages.ts'
import type { Probe } from './probe-codec.ts'

/** The answer to a question, or why there is none. */
export type ProbeReply = MessageBody<'ClientProbe'>

/** Whoever answers the questions of a relay. It works in small steps, when it is called. */
export interface ProbeAnswerer {
  readonly isBusy: boolean
  handleProbe(number: number, probe: Probe): void
  work(): ProbeReply | undefined
  forget(): void
}
