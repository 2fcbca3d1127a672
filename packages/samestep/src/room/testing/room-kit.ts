import type { PresenceWord } from '../../wire/codes.ts'
import { lobbyDefaults } from '../../wire/messages/match-config.ts'
import { Lobby } from '../lobby.ts'
import type {
  LobbyAction,
  LobbyEvent,
  LobbyPhase,
  LobbyRefusal,
  LobbyRules,
  LobbyView,
} from '../lobby-types.ts'
import type { Member, MemberSession, Place } from '../members.ts'
import { Members } from '../members.ts'

/** A session that does what a test says, and remembers what it was sent. */
export class FakeSession implements MemberSession {
  isConnected = true
  presence: PresenceWord = 'active'
  readonly sent: Uint8Array[] = []

  send(bytes: Uint8Array): void {
    if (this.isConnected) this.sent.push(bytes)
  }
}

/** Somebody comes into a room. */
export function addMember(
  members: Members<FakeSession>,
  id = members.list.length,
  nowMs = 0,
): Member<FakeSession> {
  return members.add(id, `m${id}`, () => new FakeSession(), nowMs)
}

/** A lobby whose members are known by numbers, and who leave when it says that they must. */
export class LobbyBench {
  readonly members: Members<FakeSession>
  readonly lobby: Lobby
  readonly #events: LobbyEvent[] = []

  constructor({ seats = 4, ...rules }: Partial<LobbyRules> & { readonly seats?: number } = {}) {
    this.members = new Members(seats)
    this.lobby = new Lobby({ ...lobbyDefaults, ...rules }, this.members, 0)
  }

  get phase(): LobbyPhase['name'] {
    return this.lobby.phase
  }

  get owner(): number | undefined {
    return this.members.owner?.id
  }

  get revision(): number {
    return this.lobby.revision
  }

  joinFault(role: 'player' | 'spectator'): LobbyRefusal | undefined {
    return this.lobby.joinFault(role)
  }

  excuse(lostMs: number): void {
    this.lobby.excuse(lostMs)
  }

  end(nowMs: number): void {
    this.lobby.end(nowMs)
  }

  member(id: number): Member | undefined {
    return this.members.get(id)
  }

  join(
    id: number,
    role: 'player' | 'spectator' = 'player',
    nowMs = 0,
    place: Place = {},
  ): LobbyRefusal | undefined {
    const fault = this.lobby.joinFault(role, place)
    if (fault !== undefined) return fault
    this.lobby.handleJoin(addMember(this.members, id, nowMs), role, nowMs, place)
    return undefined
  }

  leave(id: number, nowMs: number): void {
    const member = this.members.get(id)
    if (member === undefined) return
    this.members.remove(member)
    this.lobby.handleLeave(member, nowMs)
  }

  setConnected(id: number, isConnected: boolean): void {
    const member = this.members.get(id)
    if (member === undefined) return
    member.session.isConnected = isConnected
    if (!isConnected) this.lobby.handleLinkDown(member)
  }

  handle(id: number, action: LobbyAction, nowMs: number): LobbyRefusal | undefined {
    const member = this.members.get(id)
    if (member === undefined) return 'unknown-member'
    const refusal = this.lobby.handle(member, action, nowMs)
    this.#settle(nowMs)
    return refusal
  }

  handleTime(nowMs: number): void {
    this.lobby.handleTime(nowMs)
    this.#settle(nowMs)
  }

  wakeAtMs(): number {
    return this.lobby.wakeAtMs()
  }

  view(nowMs: number): LobbyView {
    return this.lobby.view(nowMs)
  }

  pollEvent(): LobbyEvent | undefined {
    return this.#events.shift() ?? this.lobby.pollEvent()
  }

  #settle(nowMs: number): void {
    for (let event = this.lobby.pollEvent(); event; event = this.lobby.pollEvent()) {
      this.#events.push(event)
      if (event.type === 'kicked' || event.type === 'load-timeout') {
        this.leave(event.member.id, nowMs)
      }
    }
  }
}
