/** The Durable Object of one session. Its class belongs to a definition, because handlers run in it. */
import { DurableObject } from '#runtime'
import type { ObjectClass } from '../../src/feature/object-class.ts'
import type {
  SessionClaims,
  SessionPost,
  SessionReply,
  StreamEvent,
} from '../../src/ports/sessions.ts'
import type {
  Delivery,
  DeliveryRefusal,
  TaskFollower,
  TaskSnapshot,
} from '../../src/ports/tasks.ts'
import { deliver, deliveryRefusal } from '../run/deliver.ts'
import { answerHeartbeats } from '../stream-socket.ts'
import { endRevokedRuns } from './revoked-runs.ts'
import { wakeForeignSession, wakeSession } from './session-alarm.ts'
import type { SessionHost } from './session-host.ts'
import { SessionParts } from './session-parts.ts'
import {
  CloseCode,
  OTHER_SERVER_STATUS,
  parseStreamReadRequest,
  parseWorkerMessage,
  ReadRefusalStatus,
} from './stream-wire.ts'
import type { CreateTaskPart } from './task-part.ts'

/** A POST as the RPC carries it, with the claims as JSON text. */
export type PostText = Omit<SessionPost, 'claims'> & { readonly claims: string }

/** The RPC of the object. */
export interface SessionRpc {
  post(post: PostText): Promise<SessionReply>
  /** Ends the session; false when it was ended before. */
  terminate(expiresAt: number, server: string): Promise<boolean>
  /** Ends the runs of a stream whose caller has lost its access, and returns what was appended by that. */
  endRevoked(claims: string, stream: string): Promise<readonly StreamEvent[]>
  /** Reports a change of a task; false when the session was ended. */
  taskChanged(task: string, state: string, follower: string): Promise<boolean>
  /** Delivers a value to a wait of a run. */
  deliverToRun(run: string, key: string, value: string, server: string): Promise<Delivery>
  deliveryRefusal(run: string, key: string, server: string): Promise<DeliveryRefusal | undefined>
}

export type SessionObjectClass = ObjectClass<SessionRpc>

/**
 * One session.
 *
 * Layout: rows for the logs of its streams, for runs that outlive the object's memory, their journals
 * and asks, and for the client's settings. Stream sockets are hibernatable WebSockets.
 *
 * Lifetime: `lifetime.ts`; its alarm: `session-alarm.ts`.
 *
 * Trade-off: a quick call writes nothing, so a kill during it loses the call; its connection breaks.
 */
export class SessionObject extends DurableObject implements SessionRpc {
  readonly #parts: SessionParts
  #parsed: { readonly text: string; readonly claims: SessionClaims } | undefined
  /** Whether interrupted runs were looked for since this object came into memory. */
  #hasRecovered = false

  constructor(
    ctx: DurableObjectState,
    env: Cloudflare.Env,
    host: SessionHost,
    createTaskPart: CreateTaskPart,
  ) {
    super(ctx, env)
    answerHeartbeats(ctx)
    this.#parts = new SessionParts(ctx, env, host, createTaskPart)
  }

  async post(post: PostText): Promise<SessionReply> {
    const { server, lifetime, presence, requests } = this.#parts
    const claims = this.#claimsOf(post.claims)
    if (server.refusalOfPost(post.auth, claims) !== undefined) {
      return { kind: 'refused', why: 'other-server' }
    }
    if (!server.ownsRows) return { kind: 'gone' }
    if (lifetime.hasEnded ?? (await lifetime.isEnded())) return { kind: 'gone' }
    this.#continue(claims)
    presence.used()
    return requests.receive(post)
  }

  async terminate(expiresAt: number, server: string): Promise<boolean> {
    this.#parts.server.check(server)
    if (await this.#parts.lifetime.isEnded()) return false
    this.#parts.client.end()
    this.#parts.runs.terminate()
    this.#parts.sockets.closeAll(CloseCode.gone)
    await this.#parts.lifetime.end(expiresAt)
    return true
  }

  async endRevoked(text: string, stream: string): Promise<readonly StreamEvent[]> {
    const claims = this.#claimsOf(text)
    return (await this.#isOpenTo(claims.server, claims)) ? endRevokedRuns(this.#parts, stream) : []
  }

  async taskChanged(task: string, state: string, text: string): Promise<boolean> {
    const follower = JSON.parse(text) as TaskFollower
    if (!(await this.#isOpenTo(follower.claims.server, follower.claims))) return false
    await this.#parts.tasks?.changed(task, JSON.parse(state) as TaskSnapshot, follower)
    return true
  }

  async deliverToRun(run: string, key: string, value: string, server: string): Promise<Delivery> {
    if (!(await this.#isOpenTo(server))) return { kind: 'over' }
    return deliver(() => this.#parts.runs.recipient(run), key, value)
  }

  async deliveryRefusal(
    run: string,
    key: string,
    server: string,
  ): Promise<DeliveryRefusal | undefined> {
    if (!(await this.#isOpenTo(server))) return 'over'
    return deliveryRefusal(this.#parts.runs.recipient(run), key)
  }

  /** Opens a stream socket, or refuses it with a status. */
  override async fetch(request: Request): Promise<Response> {
    const { server, limits, logs, presence, sockets, subscriptions, tasks } = this.#parts
    const read = parseStreamReadRequest(request)
    if (read === undefined) return new Response('Not a stream read request', { status: 400 })
    const other = server.refusalOf(read.claims.server)
    if (other !== undefined) return new Response(other.message, { status: OTHER_SERVER_STATUS })
    if (await this.#isUnknown()) return refuseRead('gone')
    this.#continue(read.claims)
    const refusal = logs.refusalOf(read)
    if (refusal !== undefined) return refuseRead(refusal)
    // No await from here on: an event that is appended is either replayed or sent, and never both.
    const accepted = sockets.accept(read, limits.streamsPerSession)
    if (accepted === undefined) return refuseRead('full')
    if (read.kind !== 'answer') {
      presence.streamOpened(read.kind)
      subscriptions.electPrimary()
    }
    logs.replay(accepted.server, read)
    tasks?.deliver()
    return new Response(null, { status: 101, webSocket: accepted.client })
  }

  override webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
    const { lifetime, server, logs, sockets, subscriptions } = this.#parts
    const message = typeof text === 'string' ? parseWorkerMessage(text) : undefined
    // A session that has ended has no open socket, so no tombstone is asked for.
    if (message === undefined || lifetime.hasEnded === true) return
    if (server.refusalOf(message.claims.server) !== undefined || !server.ownsRows) return
    this.#continue(message.claims)
    if (message.kind === 'acknowledge') {
      logs.acknowledge(sockets.streamOf(socket).stream, message.seq)
    } else if (subscriptions.receive(socket, message)) this.#keepLogs()
  }

  override webSocketClose(socket: WebSocket): void {
    this.#socketClosed(socket)
  }

  override webSocketError(socket: WebSocket): void {
    this.#socketClosed(socket)
  }

  override async alarm(): Promise<void> {
    const now = Date.now()
    if (!(await this.#parts.lifetime.isLiveAtAlarm(now))) return
    if (!this.#parts.server.ownsRows) return wakeForeignSession(this.#parts, now)
    this.#hasRecovered = true
    await wakeSession(this.#parts, now)
  }

  /**
   * Begins a call of another object or of a Worker; false when this session is unknown here.
   *
   * @throws {OtherServerError} for a call of another server
   */
  async #isOpenTo(server: string | undefined, claims?: SessionClaims): Promise<boolean> {
    this.#parts.server.check(server)
    if (await this.#isUnknown()) return false
    this.#continue(claims)
    return true
  }

  /** Whether the session has ended, or its rows are of a server that has no path of this one any more. */
  async #isUnknown(): Promise<boolean> {
    return !this.#parts.server.ownsRows || this.#parts.lifetime.isEnded()
  }

  /** The claims are one text, which is the same each time and parsed once. */
  #claimsOf(text: string): SessionClaims {
    if (this.#parsed?.text !== text) this.#parsed = { text, claims: JSON.parse(text) }
    return this.#parsed.claims
  }

  #continue(claims?: SessionClaims): void {
    if (claims !== undefined) this.#parts.client.setClaims(claims)
    this.#recover()
  }

  #recover(): void {
    if (this.#hasRecovered) return
    this.#hasRecovered = true
    this.#parts.runs.driver.recover()
  }

  #socketClosed(socket: WebSocket): void {
    const { sockets, logs, presence, tasks, subscriptions } = this.#parts
    sockets.close(socket, CloseCode.complete)
    const { stream, kind } = sockets.streamOf(socket)
    logs.socketClosed(stream)
    presence.streamClosed(kind)
    // The client may have opened another stream before this one was known to be closed.
    tasks?.deliver()
    if (kind === 'answer') return
    subscriptions.electPrimary()
    if (!logs.isEmpty || kind === 'main') this.#keepLogs()
  }

  /** A log stays for the retention time, for a reader that reconnects. */
  #keepLogs(): void {
    this.#parts.lifetime.wakeAt(Date.now() + this.#parts.limits.logRetentionMs)
  }
}

function refuseRead(refusal: keyof typeof ReadRefusalStatus): Response {
  return new Response(null, { status: ReadRefusalStatus[refusal] })
}

export function createSessionClass(
  host: SessionHost,
  createTaskPart: CreateTaskPart,
): SessionObjectClass {
  return class McpSession extends SessionObject {
    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env, host, createTaskPart)
    }
  }
}
