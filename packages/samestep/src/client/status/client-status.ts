import type { ConversationState } from '../conversation/conversation.ts'

/** The state of the connection to a match, for a UI to show. */
export type ClientStatus =
  | 'connecting'
  | 'joining'
  /** In a match that has not been launched yet. */
  | 'lobby'
  | 'active'
  /** The state of this machine differed from that of the majority, and is being replaced by theirs. */
  | 'resyncing'
  | 'reconnecting'
  | 'closed'

/** What to show of a conversation, given what is behind it. */
export function statusOf(
  { name }: ConversationState,
  membership: {
    readonly isSeated: boolean
    readonly running:
      | { readonly isResync: boolean; readonly isWaitingForState: boolean }
      | undefined
  },
): ClientStatus {
  if (name === 'closed') return 'closed'
  if (name === 'seated') {
    const { running } = membership
    if (running === undefined) return 'lobby'
    return running.isResync && running.isWaitingForState ? 'resyncing' : 'active'
  }
  if (membership.isSeated) return 'reconnecting'
  return name === 'linkless' ? 'connecting' : 'joining'
}
