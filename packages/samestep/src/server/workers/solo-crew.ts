/** One process that does everything: the usual relay. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { UsageError } from '../../base/errors.ts'
import { parseConditions } from '../../netem/conditions-text.ts'
import { Conditioner } from '../../transport/conditioner/conditioner.ts'
import type { Accept } from '../../transport/connection.ts'
import type { FaultListener } from '../../transport/entrance.ts'
import { showPath } from '../../transport/node/secret-text.ts'
import { machineTiming } from '../../transport/timing.ts'
import { listenUdp } from '../../transport/udp/index.ts'
import { parseUdpUrl } from '../../transport/udp/udp-url.ts'
import { AddressLedger } from '../address-ledger.ts'
import { bootId } from '../journal/boot-id.ts'
import { JournalFolder } from '../journal/journal-folder.ts'
import { matchRulesOf } from '../match-rules.ts'
import type { NewMatch } from '../new-match.ts'
import { UpgradeDoor } from '../pages/upgrade-door.ts'
import { RelayCore } from '../relay-core.ts'
import type { MatchSummary, UdpPortOptions } from '../relay-server.ts'
import { makeAddressRule } from '../settings/address-rule.ts'
import { bracketed, makeOriginRule } from '../settings/origin-rule.ts'
import { loadUdpKey, parseUdpKey } from '../settings/udp-key.ts'
import type { Crew, CrewListener, CrewNumbers, CrewOptions } from './crew.ts'
import { connectionsPerAddressDefault, gatherMsOf, mayCreateBy } from './crew.ts'
import { guardTimers } from './guarded-timing.ts'

/** How long the end of a relay waits for the last goodbyes by UDP: said thrice within 300 ms. */
const freeMsMax = 1_500

/** Starts the crew. Throws what its listeners throw. */
export async function startSoloCrew(given: CrewOptions): Promise<Crew> {
  const { options, log } = given
  const { createMatches, conditions } = options
  const ledger = new AddressLedger({
    perAddressMax: options.connectionsPerAddress ?? connectionsPerAddressDefault,
    trustedProxies: options.trustedProxies ?? [],
  })
  const journals = options.journal ? new JournalFolder(options.journal, log, bootId()) : undefined
  const core = new RelayCore({
    log,
    journal: journals && { folder: journals.of(0), older: [journals.before] },
    ledger,
    ...matchRulesOf(options),
    authorize: given.authorize,
    addressOf: makeAddressRule(options.trustedProxies ?? []),
    gatherMs: gatherMsOf(options),
    mayCreate: (_, permission) => mayCreateBy(createMatches, permission),
  })
  journals?.dropBefore()
  const conditioner = new Conditioner({
    ...parseConditions(conditions ?? ''),
    timing: guardTimers(machineTiming, (error) => core.faults.note(error)),
  })
  const accept = conditioner.wrapAccept(
    (connection) => core.accept(connection),
    (wrap) => core.rewrap(wrap),
  )
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
    connectionsMax: given.room.upgraded,
    ledger,
    onFault: (error, remote) => core.faults.note(error, { remote }),
    turbo: options.turbo === true,
  })
  const crew = new SoloCrew(core, conditioner, door, journals)
  try {
    await crew.add(() => openUdp(accept, given, crew), options.udp === undefined)
    // Only where it was asked for, and then it must work.
    await crew.add(() => openRtc(accept, door, core, given), false)
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
  /** How often a port did not work as it should. */
  troubles = 0
  readonly #core: RelayCore
  readonly #door: UpgradeDoor
  readonly #journals: JournalFolder | undefined

  constructor(
    core: RelayCore,
    conditioner: Conditioner,
    door: UpgradeDoor,
    journals: JournalFolder | undefined,
  ) {
    this.#journals = journals
    this.#core = core
    this.conditioner = conditioner
    this.#door = door
  }

  /** Opens one more transport. What nobody asked for may be missing, with a notice. */
  async add(open: () => Promise<CrewListener | undefined>, isOptional: boolean): Promise<void> {
    try {
      const listener = await open()
      if (listener === undefined) return
      this.listeners.push(listener)
      this.#core.doors = { ...this.#core.doors, ...listener.door }
    } catch (error) {
      if (!isOptional || !(error instanceof UsageError)) throw error
      this.notices.push(error.message)
    }
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#door.handleUpgrade(request, socket, head)
  }

  async numbers(): Promise<CrewNumbers> {
    const { troubles } = this
    return { ...this.#core.numbers, refused: this.#door.refused, restarts: 0, troubles }
  }

  async summaries(): Promise<readonly MatchSummary[]> {
    return this.#core.summaries()
  }

  async decide(match: string, decision: 'resume' | 'end'): Promise<boolean> {
    return this.#core.decide(match, decision)
  }

  async kick(match: string, seat: number): Promise<boolean> {
    return this.#core.kick(match, seat)
  }

  async order(match: string, bytes: Uint8Array): Promise<boolean> {
    return this.#core.order(match, bytes)
  }

  async createMatch(match: NewMatch): Promise<string | undefined> {
    return this.#core.createMatch(match)
  }

  noteFault(error: unknown, remote?: string): void {
    this.#core.faults.note(error, remote === undefined ? {} : { remote })
  }

  async stop(): Promise<void> {
    this.#door.stop()
    const closing = this.listeners.map((listener) => listener.close())
    await this.#core.stop()
    await Promise.all(closing)
    this.#journals?.release()
  }
}

async function openUdp(
  accept: Accept,
  { options, host, port, log }: CrewOptions,
  crew: SoloCrew,
): Promise<CrewListener | undefined> {
  if (options.udp === false) return undefined
  const secretKey = udpKeyOf(options.udp ?? {}, crew.notices)
  const { ticketKeyFile } = options.udp ?? {}
  const ticketKey =
    ticketKeyFile === undefined ? undefined : loadKey(ticketKeyFile, 'UDP ticket key', crew.notices)
  const { strangersPerAddress } = options
  const listener = await listenUdp(accept, {
    host,
    port: options.udp?.port ?? port,
    ...(secretKey === undefined ? {} : { secretKey }),
    ...(ticketKey === undefined ? {} : { ticketKey }),
    ...(strangersPerAddress === undefined ? {} : { strangersPerAddress }),
    onTrouble: ({ type, ...about }) => {
      crew.troubles += 1
      log.warn({ trouble: type, ...about }, 'the UDP port failed')
    },
    onFault: (error, remote) => crew.noteFault(error, remote),
  })
  const close = async (): Promise<void> => {
    await listener.close()
    // Whoever starts a relay again at once wants the same port. Half a handshake may hold it longer.
    await Promise.race([
      listener.freed,
      new Promise((resolve) => setTimeout(resolve, freeMsMax).unref()),
    ])
  }
  const { port: boundPort, key } = parseUdpUrl(listener.url)
  // Who needs a ticket has its address from whoever gives tickets.
  const isOpen = ticketKey === undefined && key !== undefined
  const door = isOpen ? { udp: { port: boundPort, key } } : {}
  return { transport: 'udp', url: listener.url, door, close }
}

function udpKeyOf(
  { secretKey, secretKeyFile }: UdpPortOptions,
  notices: string[],
): Uint8Array | undefined {
  if (secretKey !== undefined) return parseUdpKey(secretKey)
  if (secretKeyFile === undefined) return undefined
  return loadKey(secretKeyFile, 'UDP key', notices)
}

function loadKey(file: string, what: string, notices: string[]): Uint8Array {
  const key = loadUdpKey(file)
  if (key.isNew) notices.push(`Made a ${what} in ${showPath(file)}: keep it, and keep it secret`)
  return key.secretKey
}

async function openRtc(
  accept: Accept,
  door: UpgradeDoor,
  core: RelayCore,
  { options, host, port, log }: CrewOptions,
): Promise<CrewListener | undefined> {
  const { webrtc = false, strangersPerAddress, trustedProxies } = options
  const { AbsentRtc, openRtcDoor } = await import('../../transport/webrtc/node/index.ts')
  const guard = {
    ...(strangersPerAddress === undefined ? {} : { strangersPerAddress }),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
  }
  const onFault: FaultListener = (error, remote) => core.faults.note(error, { remote })
  if (webrtc === false) {
    door.sideDoors.push(new AbsentRtc(guard, onFault))
    return undefined
  }
  const udpPort = webrtc.port ?? nextPort(port, options.port)
  const isAll = host === '0.0.0.0' || host === '::'
  const { publicAddress } = webrtc
  // Loads the native library, and nothing else does.
  const rtc = await openRtcDoor(accept, {
    ...guard,
    origins: 'any',
    ...(udpPort === 0 ? {} : { udpPort }),
    ...(isAll ? {} : { bindAddress: host === 'localhost' ? '127.0.0.1' : host }),
    ...(publicAddress === undefined ? {} : { publicAddress }),
    onRefused: (reason, address) => log.debug({ reason, remote: address }, 'webrtc refused'),
    onFault,
  })
  door.sideDoors.push(rtc)
  const scheme = options.tls === undefined ? 'ws' : 'wss'
  const url = `${scheme}://${bracketed(host)}:${port}${rtc.path}`
  return { transport: 'webrtc', url, door: { webrtc: true }, close: () => rtc.close() }
}

/** The port after TCP's; any free one where TCP took any free one. */
function nextPort(port: number, wanted: number | undefined): number {
  return wanted === 0 || port === 65_535 ? 0 : port + 1
}
