/** The object of one session. Its part is that of a server, because handlers run in it. */
import type { AppObjects } from '../../src/ports/objects.ts'
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
import { ObjectPart } from '../object-part.ts'
import { deliver, deliveryRefusal } from '../run/deliver.ts'
import { refuseImpossibleCaller } from '../run/run-host.ts'
import { answerHeartbeats } from '../stream-socket.ts'
import { endRevokedRuns } from './revoked-runs.ts'
import { wakeSession } from './session-alarm.ts'
import type { SessionHost } from './session-host.ts'
import { SessionParts } from './session-parts.ts'
import {
  CloseCode,
  parseStreamReadRequest,
  parseWorkerMessage,
  ReadRefusalStatus,
} from './stream-wire.ts'
import type { CreateTaskPart } from './task-part.ts'

/** A POST as the RPC carries it, with the claims as JSON text. */
export type PostText = Omit<SessionPost, 'claims'> & { readonly claims: string }

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
export class SessionObject extends ObjectPart {
  readonly #parts: SessionParts
  #parsed: { readonly text: string; readonly claims: SessionClaims } | undefined
  /** Whether interrupted runs were looked for since this object came into memory. */
  #hasRecovered = false

  constructor(
    ctx: DurableObjectState,
    env: Cloudflare.Env,
    objects: AppObjects,
    host: SessionHost,
    createTaskPart: CreateTaskPart,
  ) {
    super(ctx, env)
    answerHeartbeats(ctx)
    this.#parts = new SessionParts({ state: ctx, env, objects, host }, createTaskPart)
  }

  async post(post: PostText): Promise<SessionReply> {
    const { host, lifetime, presence, requests } = this.#parts
    refuseImpossibleCaller(post.auth, host)
    const claims = this.#claimsOf(post.claims)
    if (lifetime.hasEnded ?? (await lifetime.isEnded())) return { kind: 'gone' }
    this.#continue(claims)
    presence.used()
    return requests.receive(post)
  }

  /** Ends the session; false when it was ended before. */
  async terminate(expiresAt: number): Promise<boolean> {
    if (await this.#parts.lifetime.isEnded()) return false
    this.#parts.client.end()
    this.#parts.runs.terminate()
    this.#parts.sockets.closeAll(CloseCode.gone)
    await this.#parts.lifetime.end(expiresAt)
    return true
  }

  /** Ends the runs of a stream whose caller has lost its access, and returns what was appended by that. */
  async endRevoked(text: string, stream: string): Promise<readonly StreamEvent[]> {
    return (await this.#isOpen(this.#claimsOf(text))) ? endRevokedRuns(this.#parts, stream) : []
  }

  /** Reports a change of a task; false when the session was ended. */
  async taskChanged(task: string, state: string, text: string): Promise<boolean> {
    const follower = JSON.parse(text) as TaskFollower
    if (!(await this.#isOpen(follower.claims))) return false
    await this.#parts.tasks?.changed(task, JSON.parse(state) as TaskSnapshot, follower)
    return true
  }

  /** Delivers a value to a wait of a run. */
  async deliverToRun(run: string, key: string, value: string): Promise<Delivery> {
    if (!(await this.#isOpen())) return { kind: 'over' }
    return deliver(() => this.#parts.runs.recipient(run), key, value)
  }

  async deliveryRefusal(run: string, key: string): Promise<DeliveryRefusal | undefined> {
    if (!(await this.#isOpen())) return 'over'
    return deliveryRefusal(this.#parts.runs.recipient(run), key)
  }

  /** Opens a stream socket, or refuses it with a status. */
  async fetch(request: Request): Promise<Response> {
    const { lifetime, limits, logs, presence, sockets, subscriptions, tasks } = this.#parts
    const read = parseStreamReadRequest(request)
    if (read === undefined) return new Response('Not a stream read request', { status: 400 })
    if (await lifetime.isEnded()) return refuseRead('gone')
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
    if (subscriptions.tellOfLists(read)) this.#keepLogs()
    tasks?.deliver()
    return new Response(null, { status: 101, webSocket: accepted.client })
  }

  webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
    const { lifetime, logs, sockets, subscriptions } = this.#parts
    const message = typeof text === 'string' ? parseWorkerMessage(text) : undefined
    // A session that has ended has no open socket, so no tombstone is asked for.
    if (message === undefined || lifetime.hasEnded === true) return
    this.#continue(message.claims)
    if (message.kind === 'acknowledge') {
      logs.acknowledge(sockets.streamOf(socket).stream, message.seq)
    } else if (subscriptions.receive(socket, message)) this.#keepLogs()
  }

  webSocketClose(socket: WebSocket): void {
    this.#socketClosed(socket)
  }

  webSocketError(socket: WebSocket): void {
    this.#socketClosed(socket)
  }

  async alarm(): Promise<void> {
    const now = Date.now()
    if (!(await this.#parts.lifetime.isLiveAtAlarm(now))) return
    this.#hasRecovered = true
    await wakeSession(this.#parts, now)
  }

  /** Begins a call of another object or of a Worker; false when this session has ended. */
  async #isOpen(claims?: SessionClaims): Promise<boolean> {
    if (await this.#parts.lifetime.isEnded()) return false
    this.#continue(claims)
    return true
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
