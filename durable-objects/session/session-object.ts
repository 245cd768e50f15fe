/** The Durable Object of one session. Its class belongs to a definition, because handlers run in it. */
import { DurableObject } from '#runtime'
import {
  MAIN_STREAM,
  type SessionClaims,
  type SessionPost,
  type SessionReply,
  type StreamEvent,
} from '../../src/ports/sessions.ts'
import type {
  Delivery,
  DeliveryRefusal,
  TaskFollower,
  TaskSnapshot,
} from '../../src/ports/tasks.ts'
import {
  isRequestId,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
} from '../../src/protocol/json-rpc.ts'
import { deliver, deliveryRefusal } from '../run/deliver.ts'
import { OTHER_SERVER_ALARM_MS } from '../run/server-guard.ts'
import { answerHeartbeats } from '../stream-socket.ts'
import type { SessionHost } from './session-host.ts'
import {
  createSessionParts,
  HEARTBEAT_MS,
  RECONNECT_MARGIN_MS,
  type SessionParts,
} from './session-parts.ts'
import {
  CloseCode,
  OTHER_SERVER_STATUS,
  parseStreamReadRequest,
  parseWorkerMessage,
  ReadRefusalStatus,
} from './stream-wire.ts'
import type { CreateTaskPart } from './task-part.ts'

/** Shortest time to the next alarm, so that no error can wake the object in a loop. */
const MIN_SLEEP_MS = 500

/** A POST as the RPC carries it. The claims are one text, which is the same each time and parsed once. */
export type PostText = Omit<SessionPost, 'claims'> & { readonly claims: string }

/** The RPC of the object. */
export interface SessionRpc {
  post(post: PostText): Promise<SessionReply>
  /** Ends the session; false when it was ended before. */
  terminate(expiresAt: number, server?: string): Promise<boolean>
  /** Ends the runs of a stream whose caller has lost its access, and returns what was appended by that. */
  endRevoked(claims: string, stream: string): Promise<readonly StreamEvent[]>
  /** Reports a change of a task; false when the session was ended. */
  taskChanged(task: string, state: string, follower: string): Promise<boolean>
  /** Delivers a value to a wait of a run. */
  deliverToRun(run: string, key: string, value: string, server?: string): Promise<Delivery>
  deliveryRefusal(run: string, key: string, server?: string): Promise<DeliveryRefusal | undefined>
}

export type SessionObjectClass = new (
  ctx: DurableObjectState,
  env: Cloudflare.Env,
) => DurableObject & SessionRpc

/**
 * One session.
 *
 * Layout: rows for the logs of its streams, for runs that outlive the object's memory, their journals
 * and asks, and for the client's settings. Stream sockets are hibernatable WebSockets.
 *
 * Lifetime: `lifetime.ts`.
 *
 * Trade-off: a quick call writes nothing, so a kill during it loses the call; its connection breaks.
 */
export function createSessionClass(
  host: SessionHost,
  createTaskPart: CreateTaskPart,
): SessionObjectClass {
  return class McpSession extends DurableObject implements SessionRpc {
    readonly #parts: SessionParts
    /** Whether interrupted runs were looked for since this object came into memory. */
    #hasRecovered = false

    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env)
      answerHeartbeats(ctx)
      this.#parts = createSessionParts(ctx, env, host, createTaskPart)
    }

    async post(post: PostText): Promise<SessionReply> {
      const refusal = this.#parts.server.refusalOfPost(post)
      const other = refusal instanceof Promise ? await refusal : refusal
      if (other !== undefined) return { kind: 'refused', why: 'other-server' }
      if (!this.#parts.server.ownsRows) return { kind: 'gone' }
      if (this.#parts.lifetime.hasEnded ?? (await this.#parts.lifetime.isEnded()))
        return { kind: 'gone' }
      this.#parts.client.setClaimsText(post.claims)
      this.#parts.presence.used()
      this.#recover()
      const requests: RequestMessage[] = []
      /** Ids of requests that this POST both sends and cancels. */
      const cancelled = new Set<RequestId>()
      let unexpected = 0
      for (const message of post.messages) {
        if (message.kind === 'request') requests.push(message)
        else if (message.kind === 'notification') {
          const requestId = cancelledBy(message)
          if (requestId === undefined) continue
          if (requests.some(({ id }) => id === requestId)) cancelled.add(requestId)
          else this.#parts.runs.cancel(requestId)
        } else if (
          !(this.#parts.runs.respond(message) || (await this.#parts.tasks?.respond(message)))
        ) {
          unexpected++
        }
      }
      if (requests.length === 0) return { kind: 'accepted', unexpected }
      if (!(await this.#hasReader())) return { kind: 'refused', why: 'no-reader' }
      if (this.#parts.lifetime.hasEnded === true) return { kind: 'gone' }
      const reply = await this.#parts.requests.serve(post, requests, cancelled)
      this.#parts.lifetime.count(post.auth)
      return reply
    }

    async terminate(expiresAt: number, server?: string): Promise<boolean> {
      this.#parts.server.check(server)
      if (await this.#parts.lifetime.isEnded()) return false
      this.#parts.client.end()
      this.#parts.runs.terminate()
      this.#parts.sockets.closeAll(CloseCode.gone)
      await this.#parts.lifetime.end(expiresAt)
      return true
    }

    async endRevoked(claims: string, stream: string): Promise<readonly StreamEvent[]> {
      this.#parts.server.check((JSON.parse(claims) as SessionClaims).server)
      if (await this.#isUnknown()) return []
      this.#parts.client.setClaimsText(claims)
      this.#recover()
      return this.#parts.endRevoked(stream)
    }

    async taskChanged(task: string, state: string, follower: string): Promise<boolean> {
      const followed = JSON.parse(follower) as TaskFollower
      this.#parts.server.check(followed.claims.server)
      if (await this.#isUnknown()) return false
      this.#parts.client.setClaims(followed.claims)
      this.#recover()
      await this.#parts.tasks?.changed(task, JSON.parse(state) as TaskSnapshot, followed)
      return true
    }

    async deliverToRun(
      run: string,
      key: string,
      value: string,
      server?: string,
    ): Promise<Delivery> {
      this.#parts.server.check(server)
      if (await this.#isUnknown()) return { kind: 'over' }
      this.#recover()
      return deliver(() => this.#parts.runs.recipient(run), key, value)
    }

    async deliveryRefusal(
      run: string,
      key: string,
      server?: string,
    ): Promise<DeliveryRefusal | undefined> {
      this.#parts.server.check(server)
      if (await this.#isUnknown()) return 'over'
      this.#recover()
      return deliveryRefusal(this.#parts.runs.recipient(run), key)
    }

    /** Opens a stream socket, or refuses it with a status. */
    override async fetch(request: Request): Promise<Response> {
      const read = parseStreamReadRequest(request)
      if (read === undefined) return new Response('Not a stream read request', { status: 400 })
      const other = this.#parts.server.refusalOf(read.claims.server)
      if (other !== undefined) return new Response(other.message, { status: OTHER_SERVER_STATUS })
      if (await this.#isUnknown()) return new Response(null, { status: ReadRefusalStatus.gone })
      this.#parts.client.setClaims(read.claims)
      this.#recover()
      const refusal = this.#parts.logs.refusalOf(read)
      if (refusal !== undefined) return new Response(null, { status: ReadRefusalStatus[refusal] })
      // No await from here on: an event that is appended is either replayed or sent, and never both.
      const accepted = this.#parts.sockets.accept(read, host.limits.streamsPerSession)
      if (accepted === undefined) return new Response(null, { status: ReadRefusalStatus.full })
      const { client, server } = accepted
      if (read.kind !== 'answer') {
        this.#parts.presence.streamOpened(read.kind)
        this.#parts.subscriptions.electPrimary()
      }
      this.#parts.logs.replay(server, read)
      if (read.kind === 'standalone') this.#parts.tasks?.deliver()
      return new Response(null, { status: 101, webSocket: client })
    }

    override webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
      const message = typeof text === 'string' ? parseWorkerMessage(text) : undefined
      // A session that has ended has no open socket, so no tombstone is asked for.
      if (message === undefined || this.#parts.lifetime.hasEnded === true) return
      if (this.#parts.server.refusalOf(message.claims.server) !== undefined) return
      if (!this.#parts.server.ownsRows) return
      this.#parts.client.setClaims(message.claims)
      this.#recover()
      if (message.kind === 'acknowledge') {
        this.#parts.logs.acknowledge(this.#parts.sockets.streamOf(socket).stream, message.seq)
      } else if (this.#parts.subscriptions.receive(socket, message)) {
        this.#parts.lifetime.wakeAt(Date.now() + host.limits.logRetentionMs)
      }
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
      if (!this.#parts.server.ownsRows) {
        if (now >= this.#parts.client.claims.expiresAt) return this.#parts.lifetime.deleteAll()
        this.#parts.server.reportRows()
        return this.#parts.lifetime.wakeAt(now + OTHER_SERVER_ALARM_MS)
      }
      const { statements } = this.#parts.storage
      this.#hasRecovered = true
      this.#parts.runs.driver.recover()
      this.#parts.runs.driver.wake(now)
      this.#parts.runs.expire(now)
      this.#parts.tasks?.deliver()
      const { expiresAt } = this.#parts.client.claims
      const isLive = now < expiresAt
      // A session of 2024-11-05 whose stream is not opened again can be neither resumed nor called.
      const absentUntil = this.#parts.presence.absentUntil(now)
      const isResumable = isLive && (absentUntil === undefined || now < absentUntil)
      const hasSettings =
        isResumable &&
        (this.#parts.client.hasSettings ||
          !this.#parts.subscriptions.isEmpty ||
          !this.#parts.entries.isEmpty)
      const due = [
        this.#parts.logs.deleteExpired(now, isResumable),
        isResumable ? absentUntil : undefined,
        this.#parts.subscriptions.deleteExpired(now),
        statements.deleteTaskAsksBefore(now),
        statements.nextWake(),
        this.#parts.runs.isIdle ? undefined : now + HEARTBEAT_MS,
        // A run that is under way when its session expires still gets its answer.
        isLive ? expiresAt : undefined,
      ].filter((at) => at !== undefined)
      const hasWork = statements.countRuns() > 0 || statements.taskAsks().length > 0
      const isQuiet = this.#parts.logs.isEmpty && !hasWork
      if (!hasSettings && isQuiet) return this.#parts.lifetime.deleteUnused()
      const idleUntil = hasSettings ? this.#parts.presence.idleUntil(now) : undefined
      if (idleUntil !== undefined && now >= idleUntil && isQuiet)
        return this.#parts.lifetime.endUnused(expiresAt)
      // Work that is under way sets its own alarm, and the next one finds the session unused.
      if (idleUntil !== undefined && now < idleUntil) due.push(idleUntil)
      if (due.length > 0)
        this.#parts.lifetime.wakeAt(Math.max(Math.min(...due), now + MIN_SLEEP_MS))
    }

    get #isHttpSse(): boolean {
      return this.#parts.client.claims.transport === 'http-sse'
    }

    /** Whether the session has ended, or its rows are of a server that has no path of this one any more. */
    async #isUnknown(): Promise<boolean> {
      return !this.#parts.server.ownsRows || this.#parts.lifetime.isEnded()
    }

    /**
     * Whether the answer of a request can be read. The client of 2024-11-05 may never open this stream
     * again, so its request waits until the client should have reconnected, and is not run without it.
     */
    #hasReader(): boolean | Promise<boolean> {
      if (!this.#isHttpSse) return true
      return this.#parts.sockets.waitForReader(
        MAIN_STREAM,
        host.limits.retryMs + RECONNECT_MARGIN_MS,
      )
    }

    #recover(): void {
      if (this.#hasRecovered) return
      this.#hasRecovered = true
      this.#parts.runs.driver.recover()
    }

    #socketClosed(socket: WebSocket): void {
      this.#parts.sockets.close(socket, CloseCode.complete)
      const { stream, kind } = this.#parts.sockets.streamOf(socket)
      this.#parts.logs.socketClosed(stream)
      this.#parts.presence.streamClosed(kind)
      // The client may have opened another stream before this one was known to be closed.
      this.#parts.tasks?.deliver()
      if (kind === 'answer') return
      this.#parts.subscriptions.electPrimary()
      // The log stays for the retention time, for a reader that reconnects.
      if (!this.#parts.logs.isEmpty || kind === 'main')
        this.#parts.lifetime.wakeAt(Date.now() + host.limits.logRetentionMs)
    }
  }
}

/** The request that a notification cancels. Other notifications of clients have no effect here. */
function cancelledBy({ method, params }: NotificationMessage): RequestId | undefined {
  const requestId = params?.requestId
  return method === 'notifications/cancelled' && isRequestId(requestId) ? requestId : undefined
}
