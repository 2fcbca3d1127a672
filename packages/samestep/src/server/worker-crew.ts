/**
 * Several processes behind one port, each with its own matches, for more than one core.
 *
 *     TCP ─► this process: HTTP head, pages, health ─► upgrade with ?match=friday
 *                                                        │ worker = hash('friday') mod n
 *                                     socket handed over ▼
 *                                  worker 0   worker 1   worker 2
 *
 * After the hand-over nothing of the connection passes through this process. That is safe because a
 * WebSocket client says nothing between its request and the answer.
 */
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Crew, CrewNumbers, CrewOptions } from './crew.ts'
import { matchesMaxDefault } from './crew.ts'
import type { Front } from './front.ts'
import { matchOf, workerOf } from './match-pin.ts'
import { restMsDefault } from './packet-rest.ts'
import type { MatchSummary, WorkerStatus } from './relay-server.ts'
import { refuseUpgrade } from './upgrade-door.ts'
import type { WorkerNumbers, WorkerSetup } from './worker-messages.ts'
import { WorkerProcess } from './worker-process.ts'

/** Starts the workers, and waits until all are ready. */
export async function startWorkerCrew(given: CrewOptions, front: Front): Promise<Crew> {
  const { options, log, host, port } = given
  const count = options.workers ?? 1
  const workers = Array.from({ length: count }, (_, index) => {
    const setup: WorkerSetup = {
      index,
      count,
      matchesMax: Math.ceil((options.matchesMax ?? matchesMaxDefault) / count),
      gatherMs: options.gatherMs ?? restMsDefault,
      createMatches: options.createMatches ?? 'anyone',
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
    }
    return new WorkerProcess(setup, log)
  })
  const crew = new WorkerCrew(workers, front, given)
  try {
    await Promise.all(workers.map((worker) => worker.ready))
  } catch (error) {
    await crew.stop()
    throw error
  }
  return crew
}

class WorkerCrew implements Crew {
  readonly listeners = []
  readonly conditioner = undefined
  readonly notices: readonly string[]
  readonly #workers: readonly WorkerProcess[]
  readonly #front: Front
  readonly #log: CrewOptions['log']
  /** Who takes the next one that does not say what it is for. */
  #turn = 0
  #faults = 0
  #unanswered = 0

  constructor(workers: readonly WorkerProcess[], front: Front, { options, log }: CrewOptions) {
    this.#workers = workers
    this.#front = front
    this.#log = log
    const off = [options.udp, options.webrtc].some((each) => each === undefined)
    this.notices = off ? ['UDP and WebRTC are off: they need a relay with one worker'] : []
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const match = matchOf(request.url)
    const index = match === undefined ? this.#turn++ : workerOf(match, this.#workers.length)
    const worker = this.#workers[index % this.#workers.length]!
    const { method = '', url = '', httpVersion, headers } = request
    const handed = { method, url, httpVersion, headers, head }
    if (socket instanceof Socket && worker.hand(handed, socket)) {
      this.#front.forget(socket)
      return
    }
    this.#unanswered += 1
    refuseUpgrade(socket, 503, 'this part of the relay starts again; try again in a moment')
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
      refused: { ...addUp(known.map(({ refused }) => refused)), restarting: this.#unanswered },
      restarts: this.#workers.reduce((total, { restarts }) => total + restarts, 0),
      workers: this.#workers.map((worker, at) => shareOf(worker, shares[at] as WorkerNumbers)),
    }
  }

  async summaries(): Promise<readonly MatchSummary[]> {
    const answers = this.#workers.map((worker) => worker.ask({ what: 'summaries' }))
    return (await Promise.all(answers)).flatMap((each) => (each ?? []) as MatchSummary[])
  }

  async kick(match: string, seat: number): Promise<boolean> {
    const worker = this.#workers[workerOf(match, this.#workers.length)]
    return (await worker?.ask({ what: 'kick', match, seat })) === true
  }

  noteFault(error: unknown): void {
    this.#faults += 1
    this.#log.error({ err: error }, 'an error of the relay itself')
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
  }
}

function shareOf({ index, pid }: WorkerProcess, share: WorkerNumbers | undefined): WorkerStatus {
  const { matches = 0, links = 0, players = 0 } = share ?? {}
  return { worker: index, pid, matches, links, players }
}

function addUp(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) total[key] = (total[key] ?? 0) + value
  }
  return total
}
