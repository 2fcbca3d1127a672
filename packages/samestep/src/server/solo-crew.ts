/** One process that does everything: the usual relay. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { UsageError } from '../base/errors.ts'
import { parseConditions } from '../transport/conditioner/conditions-text.ts'
import { Conditioner } from '../transport/conditioner.ts'
import type { Accept } from '../transport/connection.ts'
import { listenUdp } from '../transport/udp/index.ts'
import type { Crew, CrewListener, CrewNumbers, CrewOptions } from './crew.ts'
import { matchesMaxDefault } from './crew.ts'
import { bracketed, makeOriginRule } from './origin-rule.ts'
import { restMsDefault } from './packet-rest.ts'
import { RelayCore } from './relay-core.ts'
import type { MatchSummary, UdpPortOptions } from './relay-server.ts'
import { loadUdpKey, parseUdpKey } from './udp-key.ts'
import { UpgradeDoor } from './upgrade-door.ts'

/** How long the end of a relay waits for the last goodbyes by UDP: said thrice within 300 ms. */
const freeMsMax = 1_500

/** Starts the crew. Throws what its listeners throw. */
export async function startSoloCrew(given: CrewOptions): Promise<Crew> {
  const { options, log } = given
  const { createMatches = 'anyone', conditions } = options
  const core = new RelayCore({
    log,
    matchesMax: options.matchesMax ?? matchesMaxDefault,
    gatherMs: options.gatherMs ?? restMsDefault,
    mayCreate: () => createMatches === 'anyone',
  })
  const conditioner = new Conditioner(conditions === undefined ? {} : parseConditions(conditions))
  const accept = conditioner.wrapAccept((connection) => core.accept(connection))
  const door = await UpgradeDoor.open(accept, {
    mayConnect: makeOriginRule({
      origins: options.origins,
      host: given.host,
      port: given.port,
      isSecure: options.tls !== undefined,
      publicUrl: options.publicUrl,
    }),
    trustedProxies: options.trustedProxies ?? [],
    strangersPerAddress: options.strangersPerAddress,
  })
  const crew = new SoloCrew(core, conditioner, door)
  try {
    await crew.add(() => openUdp(accept, given, crew.notices), options.udp === undefined)
    await crew.add(() => openRtc(accept, door, given), options.webrtc === undefined)
  } catch (error) {
    await crew.stop()
    throw error
  }
  return crew
}

class SoloCrew implements Crew {
  readonly listeners: CrewListener[] = []
  readonly notices: string[] = []
  readonly conditioner: Conditioner
  readonly #core: RelayCore
  readonly #door: UpgradeDoor

  constructor(core: RelayCore, conditioner: Conditioner, door: UpgradeDoor) {
    this.#core = core
    this.conditioner = conditioner
    this.#door = door
  }

  /** Opens one more transport. What nobody asked for may be missing, with a notice. */
  async add(open: () => Promise<CrewListener | undefined>, isOptional: boolean): Promise<void> {
    try {
      const listener = await open()
      if (listener !== undefined) this.listeners.push(listener)
    } catch (error) {
      if (!isOptional || !(error instanceof UsageError)) throw error
      this.notices.push(error.message)
    }
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#door.handleUpgrade(request, socket, head)
  }

  async numbers(): Promise<CrewNumbers> {
    return { ...this.#core.numbers, refused: this.#door.refused, restarts: 0 }
  }

  async summaries(): Promise<readonly MatchSummary[]> {
    return this.#core.summaries()
  }

  async kick(match: string, seat: number): Promise<boolean> {
    return this.#core.kick(match, seat)
  }

  noteFault(error: unknown): void {
    this.#core.noteFault(error)
  }

  async stop(): Promise<void> {
    this.#door.stop()
    const closing = this.listeners.map((listener) => listener.close())
    await this.#core.stop()
    await Promise.all(closing)
  }
}

async function openUdp(
  accept: Accept,
  { options, host, port }: CrewOptions,
  notices: string[],
): Promise<CrewListener | undefined> {
  if (options.udp === false) return undefined
  const secretKey = udpKeyOf(options.udp ?? {}, notices)
  const listener = await listenUdp(accept, {
    host,
    port: options.udp?.port ?? port,
    ...(secretKey === undefined ? {} : { secretKey }),
  })
  const close = async (): Promise<void> => {
    await listener.close()
    // Whoever starts a relay again at once wants the same port. Half a handshake may hold it longer.
    await Promise.race([
      listener.freed,
      new Promise((resolve) => setTimeout(resolve, freeMsMax).unref()),
    ])
  }
  return { transport: 'udp', url: listener.url, close }
}

function udpKeyOf(
  { secretKey, secretKeyFile }: UdpPortOptions,
  notices: string[],
): Uint8Array | undefined {
  if (secretKey !== undefined) return parseUdpKey(secretKey)
  if (secretKeyFile === undefined) return undefined
  const key = loadUdpKey(secretKeyFile)
  if (key.isNew) notices.push(`Made a UDP key in ${secretKeyFile}: keep it, and keep it secret`)
  return key.secretKey
}

async function openRtc(
  accept: Accept,
  door: UpgradeDoor,
  { options, host, port, log }: CrewOptions,
): Promise<CrewListener | undefined> {
  if (options.webrtc === false) return undefined
  // Only here: it brings a native library along.
  const { openRtcDoor } = await import('../transport/webrtc/node/index.ts')
  const udpPort = options.webrtc?.port ?? nextPort(port, options.port)
  const isAll = host === '0.0.0.0' || host === '::'
  const { strangersPerAddress } = options
  const rtc = await openRtcDoor(accept, {
    origins: 'any',
    ...(strangersPerAddress === undefined ? {} : { strangersPerAddress }),
    ...(udpPort === 0 ? {} : { udpPort }),
    ...(isAll ? {} : { bindAddress: host === 'localhost' ? '127.0.0.1' : host }),
    ...(options.trustedProxies === undefined ? {} : { trustedProxies: options.trustedProxies }),
    onRefused: (reason, address) => log.debug({ reason, remote: address }, 'webrtc refused'),
  })
  door.sideDoors.push(rtc)
  const scheme = options.tls === undefined ? 'ws' : 'wss'
  const url = `${scheme}://${bracketed(host)}:${port}${rtc.path}`
  return { transport: 'webrtc', url, close: () => rtc.close() }
}

/** The port after TCP's; any free one where TCP took any free one. */
function nextPort(port: number, wanted: number | undefined): number {
  return wanted === 0 || port === 65_535 ? 0 : port + 1
}
