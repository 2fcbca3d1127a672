import type { UsageError } from '../../base/errors.ts'
import type { RelayServer } from '../../server/index.ts'

/** Where a relay listens and how to join, for a reader. */
export function relayTable(relay: RelayServer): string {
  const { urls } = relay
  const rows = [
    ['websocket', urls.websocket],
    ['webrtc', urls.webrtc],
    ['udp', urls.udp],
    ['pages', urls.http],
    ['health', `${urls.http}/health`],
  ].filter(([, url]) => url !== undefined)
  return [
    '',
    'The relay is running.',
    '',
    ...rows.map(([name = '', url]) => `  ${name.padEnd(10)} ${url}`),
    '',
    `  A player opens  ${relay.joinUrl('friday')}`,
    `  A game calls    joinMatch(game, { url: '${relay.url}', match: 'friday', name: 'Ada' })`,
    '',
    ...relay.notices.map((notice) => `  Note: ${notice}`),
    ...(relay.notices.length > 0 ? [''] : []),
    'Ctrl+C stops it.',
    '',
    '',
  ].join('\n')
}

/** The same, and its end, for a script: one line of JSON. */
export function eventLine(event: 'started' | 'stopped', relay: RelayServer): string {
  const { urls, port, notices } = relay
  const about = event === 'stopped' ? {} : { urls, port, joinUrl: relay.joinUrl('friday'), notices }
  return `${JSON.stringify({ event, pid: process.pid, ...about })}\n`
}

/** Why there is no relay, for a script. */
export function failureLine({ code, message }: UsageError): string {
  return `${JSON.stringify({ event: 'failed', code, message })}\n`
}
