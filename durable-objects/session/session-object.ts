/** The Durable Object of one session. Its class belongs to a definition, because handlers run in it. */
import { DurableObject } from '#runtime'
import { MAIN_STREAM, type SessionPost, type SessionReply } from '../../src/ports/sessions.ts'
import type { NotificationMessage, RequestId, RequestMessage } from '../../src/protocol/json-rpc.ts'
import { isRequestId } from '../../src/protocol/json-rpc.ts'
import { CallerRecords } from '../run/caller-records.ts'
import { Entries } from '../state/entries.ts'
import { answerHeartbeats } from '../stream-socket.ts'
import { Asks } from './asks.ts'
import { ClientState } from './client-state.ts'
import { SessionLifetime } from './lifetime.ts'
import { PostRequests } from './post-requests.ts'
import { createRunSession } from './run-session.ts'
import { Runs } from './runs.ts'
import type { SessionHost } from './session-host.ts'
import { SessionQuota } from './session-quota.ts'
import { SessionStorage } from './session-storage.ts'
import { StreamLogs } from './stream-logs.ts'
import { StreamSockets } from './stream-sockets.ts'
import {
  CloseCode,
  parseStreamReadRequest,
  parseWorkerMessage,
  ReadRefusalStatus,
} from './stream-wire.ts'
import { SessionSubscriptions } from './subscriptions.ts'
import { Tombstone } from './tombstone.ts'

/** Interval of alarms while handlers run: they keep the object in memory, and find interrupted runs. */
const HEARTBEAT_MS = 20_000

/** Shortest time to the next alarm, so that no error can wake the object in a loop. */
const MIN_SLEEP_MS = 500

/** How long a client may take to reconnect, beyond the `retry` of its stream. */
const RECONNECT_MARGIN_MS = 1000

/** A POST as the RPC carries it. The claims are one text, which is the same each time and parsed once. */
export type PostText = Omit<SessionPost, 'claims'> & { readonly claims: string }

/** The RPC of the object. */
export interface SessionRpc {
  post(post: PostText): Promise<SessionReply>
  /** Ends the session; false when it was ended before. */
  terminate(expiresAt: number): Promise<boolean>
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
export function createSessionClass(host: SessionHost): SessionObjectClass {
  return class McpSession extends DurableObject implements SessionRpc {
    readonly #storage: SessionStorage
    readonly #client: ClientState
    readonly #entries: Entries
    readonly #sockets: StreamSockets
    readonly #logs: StreamLogs
    readonly #subscriptions: SessionSubscriptions
    readonly #runs: Runs
    readonly #requests: PostRequests
    readonly #lifetime: SessionLifetime
    /** Whether interrupted runs were looked for since this object came into memory. */
    #hasRecovered = false

    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env)
      const { limits, renewCaller, allowsAnonymous } = host
      const deployment = host.deploymentOf(env)
      answerHeartbeats(ctx)
      const storage = new SessionStorage(ctx.storage)
      const client = new ClientState(storage)
      const entries = new Entries({
        get existing() {
          return storage.existing?.entries
        },
        get statements() {
          return storage.statements.entries
        },
      })
      const sockets = new StreamSockets(ctx)
      const logs = new StreamLogs(storage, sockets, limits)
      const max = limits.subscriptionsPerSession
      const subscriptions = new SessionSubscriptions(storage, logs, sockets, client, max)
      const runs: Runs = new Runs({
        storage,
        logs,
        asks: new Asks(storage, logs, subscriptions),
        client,
        host,
        deployment,
        waitUntil: (promise) => ctx.waitUntil(promise),
        callers: new CallerRecords({
          nameOf: () => client.claims.name,
          sealer: deployment.services.sealer,
          renew: renewCaller && ((record) => renewCaller(record, env)),
          allowsAnonymous,
        }),
        sessionOf: (run) =>
          createRunSession(run, {
            runs,
            logs,
            client,
            entries,
            subscriptions,
            deployment,
            scheduleExpiry: () => this.#lifetime.wakeAt(client.claims.expiresAt),
          }),
        schedule: (by = Number.POSITIVE_INFINITY) =>
          this.#lifetime.wakeAt(Math.min(Date.now() + HEARTBEAT_MS, by)),
      })
      this.#storage = storage
      this.#client = client
      this.#entries = entries
      this.#sockets = sockets
      this.#logs = logs
      this.#subscriptions = subscriptions
      this.#runs = runs
      this.#requests = new PostRequests(runs, client, limits)
      this.#lifetime = new SessionLifetime({
        state: ctx,
        storage,
        client,
        tombstone: new Tombstone(env, ctx.id, storage),
        quota: new SessionQuota(env, {
          storage,
          limit: limits.sessionsPerPrincipal,
          claimsOf: () => client.claims,
          terminate: async (session) => host.terminateIn(env)?.(session),
        }),
        report: (error) => deployment.report({ type: 'internal-error', error }),
      })
    }

    async post(post: PostText): Promise<SessionReply> {
      if (this.#lifetime.hasEnded ?? (await this.#lifetime.isEnded())) return { kind: 'gone' }
      this.#client.setClaimsText(post.claims)
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
          else this.#runs.cancel(requestId)
        } else if (!this.#runs.respond(message)) unexpected++
      }
      if (requests.length === 0) return { kind: 'accepted', unexpected }
      if (!(await this.#hasReader())) return { kind: 'refused', why: 'no-reader' }
      if (this.#lifetime.hasEnded === true) return { kind: 'gone' }
      const reply = await this.#requests.serve(post, requests, cancelled)
      this.#lifetime.count(post.auth)
      return reply
    }

    async terminate(expiresAt: number): Promise<boolean> {
      if (await this.#lifetime.isEnded()) return false
      this.#client.end()
      this.#runs.terminate()
      this.#sockets.closeAll(CloseCode.gone)
      await this.#lifetime.end(expiresAt)
      return true
    }

    /** Opens a stream socket, or refuses it with a status. */
    override async fetch(request: Request): Promise<Response> {
      const read = parseStreamReadRequest(request)
      if (read === undefined) return new Response('Not a stream read request', { status: 400 })
      if (await this.#lifetime.isEnded())
        return new Response(null, { status: ReadRefusalStatus.gone })
      this.#client.setClaims(read.claims)
      this.#recover()
      const refusal = this.#logs.refusalOf(read)
      if (refusal !== undefined) return new Response(null, { status: ReadRefusalStatus[refusal] })
      // No await from here on: an event that is appended is either replayed or sent, and never both.
      const accepted = this.#sockets.accept(read, host.limits.streamsPerSession)
      if (accepted === undefined) return new Response(null, { status: ReadRefusalStatus.full })
      const { client, server } = accepted
      if (read.kind !== 'answer') this.#subscriptions.electPrimary()
      this.#logs.replay(server, read)
      return new Response(null, { status: 101, webSocket: client })
    }

    override webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
      const message = typeof text === 'string' ? parseWorkerMessage(text) : undefined
      // A session that has ended has no open socket, so no tombstone is asked for.
      if (message === undefined || this.#lifetime.hasEnded === true) return
      this.#client.setClaims(message.claims)
      this.#recover()
      if (message.kind === 'acknowledge') {
        this.#logs.acknowledge(this.#sockets.streamOf(socket).stream, message.seq)
      } else if (this.#subscriptions.receive(socket, message)) {
        this.#lifetime.wakeAt(Date.now() + host.limits.logRetentionMs)
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
      if (!(await this.#lifetime.isLiveAtAlarm(now))) return
      const { statements } = this.#storage
      this.#hasRecovered = true
      this.#runs.recover()
      this.#runs.expire(now)
      const { expiresAt } = this.#client.claims
      const isLive = now < expiresAt
      // Without a reader and a log, a session of 2024-11-05 can be neither resumed nor called.
      const isReachable = !this.#isHttpSse || this.#sockets.has(MAIN_STREAM)
      const hasSettings =
        isLive &&
        isReachable &&
        (this.#client.hasSettings || !this.#subscriptions.isEmpty || !this.#entries.isEmpty)
      const due = [
        this.#logs.deleteExpired(now),
        this.#subscriptions.deleteExpired(now),
        statements.nextAskExpiry() ?? undefined,
        this.#runs.isIdle ? undefined : now + HEARTBEAT_MS,
        // A run that is under way when its session expires still gets its answer.
        isLive ? expiresAt : undefined,
      ].filter((at) => at !== undefined)
      if (!hasSettings && this.#logs.isEmpty && statements.countRuns() === 0)
        return this.#lifetime.deleteUnused()
      if (due.length > 0) this.#lifetime.wakeAt(Math.max(Math.min(...due), now + MIN_SLEEP_MS))
    }

    get #isHttpSse(): boolean {
      return this.#client.claims.transport === 'http-sse'
    }

    /**
     * Whether the answer of a request can be read. The client of 2024-11-05 may never open this stream
     * again, so its request waits until the client should have reconnected, and is not run without it.
     */
    #hasReader(): boolean | Promise<boolean> {
      if (!this.#isHttpSse) return true
      return this.#sockets.waitForReader(MAIN_STREAM, host.limits.retryMs + RECONNECT_MARGIN_MS)
    }

    #recover(): void {
      if (this.#hasRecovered) return
      this.#hasRecovered = true
      this.#runs.recover()
    }

    #socketClosed(socket: WebSocket): void {
      this.#sockets.close(socket, CloseCode.complete)
      const { stream, kind } = this.#sockets.streamOf(socket)
      this.#logs.socketClosed(stream)
      if (kind === 'answer') return
      this.#subscriptions.electPrimary()
      // The log stays for the retention time, for a reader that reconnects.
      if (!this.#logs.isEmpty || kind === 'main')
        this.#lifetime.wakeAt(Date.now() + host.limits.logRetentionMs)
    }
  }
}

/** The request that a notification cancels. Other notifications of clients have no effect here. */
function cancelledBy({ method, params }: NotificationMessage): RequestId | undefined {
  const requestId = params?.requestId
  return method === 'notifications/cancelled' && isRequestId(requestId) ? requestId : undefined
}
