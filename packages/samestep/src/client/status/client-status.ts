import type { ConversationState } from '../conversation/conversation.ts'

/** Where the connection to a match stands, for a UI to show. */
export type ClientStatus =
  | 'connecting'
  | 'joining'
  /** In the match, which has not been launched. */
  | 'lobby'
  | 'active'
  | 'reconnecting'
  | 'closed'

/** What to show of a conversation, given what is behind it. */
export function statusOf(
  { name }: ConversationState,
  membership: { readonly isSeated: boolean; readonly running: unknown },
): ClientStatus {
  if (name === 'closed') return 'closed'
  if (name === 'seated') return membership.running === undefined ? 'lobby' : 'active'
  if (membership.isSeated) return 'reconnecting'
  return name === 'linkless' ? 'connecting' : 'joining'
}
