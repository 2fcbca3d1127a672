import { unreachable } from '../../base/assert.ts'
import type { ClientEvent } from '../../client/events.ts'
import { isPassedOnEvent } from '../../client/membership/passed-on.ts'
import type { ClientStatus } from '../../client/status/client-status.ts'
import type { Fault } from '../../sim/game/run/report.ts'
import type { Emitter } from './emitter.ts'
import type { MatchFault } from './fault-log.ts'
import type { MatchEvents } from './match.ts'

/** Passes a client's event on to the listeners of its match. */
export function publish(
  events: Emitter<MatchEvents>,
  event: ClientEvent,
  status: () => ClientStatus,
  noteFault: (fault: Fault) => MatchFault,
): void {
  if (isPassedOnEvent(event)) {
    // A union of pairs that belong together, which the compiler cannot tell one by one.
    events.emit(event.type, event.body as never)
    return
  }
  switch (event.type) {
    case 'tick':
      events.emit('tick', event.report)
      return
    case 'seat':
      events.emit('seat', event)
      return
    case 'launched':
      events.emit('launched', event)
      events.emit('status', status())
      return
    case 'aborted':
      events.emit('aborted', event)
      events.emit('status', status())
      return
    case 'bot':
      events.emit('bot', event)
      return
    case 'seated':
    case 'link-lost':
    case 'resync':
      events.emit('status', status())
      return
    case 'fault':
      events.emit('fault', noteFault(event.fault))
      return
    case 'closed': {
      const { reason, message, error } = event
      events.emit('closed', { reason, message, ...(error === undefined ? {} : { error }) })
      events.emit('status', status())
      return
    }
    case 'input-missed':
      events.emit('input-missed', { tick: event.tick, count: event.count })
      return
    case 'presence':
      events.emit('presence', event.presence)
      return
    case 'blame':
      events.emit('blame', event.blame)
      return
    case 'order-ended':
    case 'want-link':
    case 'want-move':
    case 'drop-link':
    case 'moved':
    case 'investigate':
    case 'digest':
      return
    case 'restored':
      if (event.isResync) events.emit('status', status())
      return
    default:
      unreachable(event)
  }
}
