/** Our relay over any transport of ours, through the link machine that a client has. */
import { channelFor } from '../../packages/samestep/dist/driver/machines/channels.js'
import { SilentPlayer } from './silent-player.mjs'

/**
 * @param {import('../../packages/samestep/src/transport/connection.ts').Dial} dial
 * @param {string} match @param {() => void} count
 */
export async function joinOver(dial, match, count) {
  const connection = await dial()
  const channel = channelFor(connection, 'initiator')(performance.now())
  const flush = () => {
    for (let bytes = channel.pollPacket(); bytes; bytes = channel.pollPacket()) {
      connection.send(bytes)
    }
  }
  const player = new SilentPlayer(match, count, {
    sendControl: (bytes) => channel.sendControl(bytes, performance.now()),
    sendTick: (bytes) => channel.sendTick(bytes, performance.now()),
  })
  const failed = new Promise((_, reject) => {
    connection.open({
      handlePacket: (bytes) => {
        channel.handlePacket(bytes, performance.now())
        for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
          player.hear(next.bytes)
        }
        flush()
      },
      handleClosed: ({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)),
    })
  })
  // What the link machine has to repeat while nobody plays yet.
  const beat = setInterval(() => {
    channel.handleTime(performance.now())
    flush()
  }, 20)
  player.start()
  flush()
  await Promise.race([player.seated, failed])
  clearInterval(beat)
  // At the end the server goes first.
  failed.catch(() => {})
  return () => {
    const nowMs = performance.now()
    if (channel.wakeAtMs() <= nowMs) channel.handleTime(nowMs)
    player.play()
    flush()
  }
}
