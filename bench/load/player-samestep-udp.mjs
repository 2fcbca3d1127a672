/** Our relay over encrypted UDP. */
import { dialUdp } from '../../packages/samestep/dist/transport/udp/index.js'
import { joinOver } from './channel-player.mjs'

/** @param {{ urls: { udp: string } }} address @param {string} match @param {() => void} count */
export function join({ urls }, match, count) {
  return joinOver(dialUdp(urls.udp), match, count)
}
