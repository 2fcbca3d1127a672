import { encodeMessage, type MessageBody } from '../../wire/messages/messages.ts'
import { packHistory } from '../../wire/messages/recovery.ts'
import type { MatchRecovery } from './match-recovery.ts'

/** The answer to a relay that asks what there is of a match; all of it only where it `wantsHistory`. */
export function recoveryAnswer(
  recovery: MatchRecovery | undefined,
  proof: Uint8Array,
  { wantsHistory }: Pick<MessageBody<'RelayRecover'>, 'wantsHistory'>,
): Uint8Array[] {
  const backTick = recovery?.backTick ?? 0
  const kept = wantsHistory ? recovery?.give() : undefined
  const { capsule = none, tags = [], firstTick = 0, bundles = [] } = kept ?? {}
  const count = bundles.length
  return [
    encodeMessage('ClientRecover', { proof, backTick, capsule, tags, firstTick, count }),
    ...packHistory(bundles).map((bytes) => encodeMessage('ClientHistory', { bytes })),
  ]
}

const none = new Uint8Array(0)
