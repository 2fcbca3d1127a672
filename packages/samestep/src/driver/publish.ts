import type { ClientStatus } from '../client/conversation.ts'
import type { ClientEvent } from '../client/events.ts'
import type { Emitter } from './emitter.ts'
import type { MatchEvents } from './match.ts'

/** Passes a client's event on to the listeners of its match. */
export function publish(
  events: Emitter<MatchEvents>,
  event: ClientEvent,
  status: () => ClientStatus,
): void {
  switch (event.type) {
    case 'tick':
      events.emit('tick', event.report)
      return
    case 'room':
      events.emit('room', event.room)
      return
    case 'vote':
      events.emit('vote', event.vote)
      return
    case 'stats':
      events.emit('stats', event.stats)
      return
    case 'launched':
      events.emit('launched', event)
      events.emit('status', status())
      return
    case 'aborted':
      events.emit('aborted', event)
      events.emit('status', status())
      return
    case 'said':
      events.emit('said', event)
      return
    case 'denied':
      events.emit('denied', event)
      return
    case 'bot':
      events.emit('bot', event)
      return
    case 'seated':
    case 'link-lost':
      events.emit('status', status())
      return
    case 'closed':
      events.emit('closed', { reason: event.reason, message: event.message })
      events.emit('status', status())
      return
    case 'want-link':
    case 'input-missed':
      return
  }
}
