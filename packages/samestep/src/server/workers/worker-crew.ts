/**
 * Several processes behind one port, each with its own matches, for more than one core.
 *
 *     TCP ─► this process: HTTP head, pages, health ─► upgrade with ?match=friday
 *                                                        │ worker = hash('friday') mod n
 *                                     socket handed over ▼
 *                                  worker 0   worker 1   worker 2
 *
 * After the hand-over nothing of the connection passes through this process: it stops reading before,
 * so that what the client says next is read by the worker. What was read already goes along with the
 * request. Connections are counted here, in all and by address, until their worker says that they ended.
 */
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TrustedProxies } from '../../transport/node/address-block.ts'
import { holdReads } from '../../transport/node/hold-reads.ts'
import { AddressLedger } from '../address-ledger.ts'
import { bootId } from '../journal/boot-id.ts'
import { JournalFolder } from '../journal/journal-folder.ts'
import { addLineNumbers } from '../logs/line-numbers.ts'
import { matchRulesOf } from '../match-rules.ts'
import type { NewMatch } from '../new-match.ts'
import { refuseUpgrade } from '../pages/upgrade-door.ts'
import type { MatchSummary, WorkerStatus } from '../relay-server.ts'
import { MakerHub } from '../shared-makers.ts'
import type { Crew, CrewNumbers, CrewOptions } from './crew.ts'
import { connectionsPerAddressDefault, gatherMsOf } from './crew.ts'
import type { Front } from './front.ts'
import { makePinKey, matchOf, workerOf } from './match-pin.ts'
import type { WorkerNumbers, WorkerSetup } from './worker-messages.ts'
import { WorkerProcess } from './worker-process.ts'

/** Starts the workers, and waits until all are ready. */
export async function startWorkerCrew(given: CrewOptions, front: Front): Promise<Crew> {
  const { options, log, host, port } = given
  const count = options.workers ?? 1
  const rules = matchRulesOf(options)
  const pinKey = makePinKey()
  const journals = options.journal ? new JournalFolder(options.journal, log, bootId()) : undefined
  const setupOf = (index: number): WorkerSetup => ({
    index,
    count,
    pinKey,
    rules: { ...rules, matchesMax: Math.ceil(rules.matchesMax / count) },
    isAuthorizing: given.authorize !== undefined,
    turbo: options.turbo === true,
    gatherMs: gatherMsOf(options),
    createMatches: options.createMatches,
    origin: {
      origins: options.origins,
      host,
      port,
      isSecure: false,
      publicUrl: options.publicUrl,
    },
    trustedProxies: options.trustedProxies ?? [],
    strangersPerAddress: options.strangersPerAddress,
    log: log.level as WorkerSetup['log'],
    journal: journals && { folder: journals.of(index), older: [journals.before] },
  })
  const crew = new WorkerCrew(
    Array.from({ length: count }, (_, index) => setupOf(index)),
    {
      ...given,
      front,
      journals,
    },
  )
  try {
    await crew.ready
    journals?.dropBefore()
  } catch (error) {
    await crew.stop()
    throw error
  }
  return crew
}

/** Why the process with the port turns somebody away. */
type FrontRefusal = 'connections-max' | 'connections-per-address' | 'restarting'

class WorkerCrew implements Crew {
  readonly listeners = []
  readonly conditioner = undefined
  readonly notices: readonly string[]
  /** Settles when all workers are ready; rejects when one never is. */
  readonly ready: Promise<unknown>
  readonly #workers: readonly WorkerProcess[]
  readonly #front: Front
  readonly #connectionsMax: number
  readonly #log: CrewOptions['log']
  readonly #pinKey: Uint8Array
  readonly #proxies: TrustedProxies
  readonly #ledger: AddressLedger
  /** Connections that workers have. */
  #handed = 0
  /** Who takes the next one that does not say what it is for. */
  #turn = 0
  #faults = 0
  readonly #journals: JournalFolder | undefined
  readonly #refused: Record<FrontRefusal, number> = {
    'connections-max': 0,
    'connections-per-address': 0,
    restarting: 0,
  }

  constructor(
    setups: readonly WorkerSetup[],
    {
      options,
      log,
      room,
      front,
      authorize,
      journals,
    }: CrewOptions & { readonly front: Front; readonly journals: JournalFolder | undefined },
  ) {
    this.#journals = journals
    this.#front = front
    this.#connectionsMax = room.upgraded
    this.#log = log
    this.#pinKey = setups[0]!.pinKey
    const { trustedProxies = [], connectionsPerAddress } = options
    this.#proxies = new TrustedProxies(trustedProxies)
    this.#ledger = new AddressLedger({
      perAddressMax: connectionsPerAddress ?? connectionsPerAddressDefault,
      trustedProxies,
    })
    const makers = new MakerHub(setups.length, (worker, elsewhere) =>
      this.#workers[worker]?.tellMakers(elsewhere),
    )
    const onFault = (error: unknown) => this.noteFault(error)
    this.#workers = setups.map((setup) => new WorkerProcess(setup, log, onFault, makers, authorize))
    this.ready = Promise.all(this.#workers.map((worker) => worker.ready))
    const isOff = options.udp === undefined
    this.notices = isOff ? ['UDP is off: it needs a relay with one worker'] : []
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // It fails in peace: whoever hears of the end is told by the worker.
    socket.on('error', () => socket.destroy())
    if (this.#handed >= this.#connectionsMax) {
      this.#refuse(socket, 503, 'connections-max')
      return
    }
    const leave = this.#ledger.enter(this.#proxies.addressOfRequest(request))
    if (leave === undefined) {
      this.#refuse(socket, 429, 'connections-per-address')
      return
    }
    this.#handed += 1
    const onEnded = () => {
      this.#handed -= 1
      leave()
    }
    if (this.#hand(request, socket, head, onEnded)) return
    onEnded()
    const why = 'this part of the relay starts again; try again in a moment'
    this.#refuse(socket, 503, 'restarting', why)
  }

  /** Gives a connection to the worker of its match. False when that cannot be now. */
  #hand(request: IncomingMessage, socket: Duplex, head: Buffer, onEnded: () => void): boolean {
    const rest = socket instanceof Socket ? holdReads(socket) : undefined
    if (!(socket instanceof Socket) || rest === undefined) {
      // A client that is gone has no handle to hold; any other is a Node that we do not know.
      if (!socket.destroyed) this.noteFault(new Error('Cannot hold the reads of a socket'))
      return false
    }
    const match = matchOf(request.url)
    const count = this.#workers.length
    const index = match === undefined ? this.#turn++ : workerOf(match, count, this.#pinKey)
    const { method = '', url = '', httpVersion, headers } = request
    const handed = { method, url, httpVersion, headers, head: Buffer.concat([head, rest]) }
    if (!this.#workers[index % count]!.hand(handed, socket, onEnded)) return false
    this.#front.forget(socket)
    return true
  }

  #refuse(socket: Duplex, status: number, reason: FrontRefusal, why: string = reason): void {
    this.#refused[reason] += 1
    refuseUpgrade(socket, status, why)
  }

  async numbers(): Promise<CrewNumbers> {
    const shares = await Promise.all(this.#workers.map((worker) => worker.ask({ what: 'numbers' })))
    const known = shares.filter((share) => share !== undefined) as WorkerNumbers[]
    const sum = (pick: (numbers: WorkerNumbers) => number) =>
      known.reduce((total, numbers) => total + pick(numbers), 0)
    return {
      matches: sum(({ matches }) => matches),
      links: sum(({ links }) => links),
      players: sum(({ players }) => players),
      faults: sum(({ faults }) => faults) + this.#faults,
      accepted: addUp(known.map(({ accepted }) => accepted)),
      refused: addUp([...known.map(({ refused }) => refused), this.#refused]),
      restarts: this.#workers.reduce((total, { restarts }) => total + restarts, 0),
      troubles: 0,
      lines: addLineNumbers(known.map(({ lines }) => lines)),
      journal: worstJournal(known),
      workers: this.#workers.map((worker, at) => shareOf(worker, shares[at] as WorkerNumbers)),
    }
  }

  async summaries(): Promise<readonly MatchSummary[]> {
    const answers = this.#workers.map((worker) => worker.ask({ what: 'summaries' }))
    return (await Promise.all(answers)).flatMap((each) => (each ?? []) as MatchSummary[])
  }

  async decide(match: string, decision: 'resume' | 'end'): Promise<boolean> {
    const worker = this.#workers[workerOf(match, this.#workers.length, this.#pinKey)]
    return (await worker?.ask({ what: 'decide', match, decision })) === true
  }

  async kick(match: string, seat: number): Promise<boolean> {
    const worker = this.#workers[workerOf(match, this.#workers.length, this.#pinKey)]
    return (await worker?.ask({ what: 'kick', match, seat })) === true
  }

  async order(match: string, bytes: Uint8Array): Promise<boolean> {
    const worker = this.#workers[workerOf(match, this.#workers.length, this.#pinKey)]
    return (await worker?.ask({ what: 'order', match, bytes })) === true
  }

  async createMatch(match: NewMatch): Promise<string | undefined> {
    const worker = this.#workers[workerOf(match.name, this.#workers.length, this.#pinKey)]
    const answer = await worker?.ask({ what: 'create', match })
    if (typeof answer === 'object' && 'problem' in answer) return answer.problem
    return 'Cannot create the match: its part of the relay starts again; try again in a moment'
  }

  noteFault(error: unknown, remote?: string): void {
    this.#faults += 1
    this.#log.error({ err: error, remote }, 'an error of the relay itself')
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
    this.#journals?.release()
  }
}

function shareOf({ index, pid }: WorkerProcess, share: WorkerNumbers | undefined): WorkerStatus {
  const { matches = 0, links = 0, players = 0 } = share ?? {}
  return { worker: index, pid, matches, links, players }
}

/** One that fails is what somebody has to know of. */
function worstJournal(shares: readonly WorkerNumbers[]): WorkerNumbers['journal'] {
  const journals = shares.flatMap(({ journal }) => journal ?? [])
  return journals.find(({ state }) => state === 'failing') ?? journals[0]
}

function addUp(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) total[key] = (total[key] ?? 0) + value
  }
  return total
}
