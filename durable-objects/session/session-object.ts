/** The Durable Object of one session. Its class belongs to a definition, because handlers run in it. */
import { DurableObject } from 'cloudflare:workers'
import type { CallSession } from '../../src/dispatch/call-session.ts'
import type { SessionPost, SessionReply } from '../../src/ports/sessions.ts'
import type { NotificationMessage, RequestId, RequestMessage } from '../../src/protocol/json-rpc.ts'
import { isRequestId } from '../../src/protocol/json-rpc.ts'
import { answerHeartbeats } from '../stream-socket.ts'
import { Asks } from './asks.ts'
import { ClientState } from './client-state.ts'
import { PostRequests } from './post-requests.ts'
import { Setting } from './row-keys.ts'
import type { Run } from './run.ts'
import { Runs } from './runs.ts'
import type { SessionHost } from './session-host.ts'
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

/** How often an object with work under way is woken: it keeps it in memory, and finds what was cut off. */
const HEARTBEAT_MS = 20_000

/** An alarm is never due at once: whatever is wrong, it must not wake the object without end. */
const MIN_SLEEP_MS = 500

/** A POST as it crosses: the claims as text, which is the same each time and read once. */
export type PostText = Omit<SessionPost, 'claims'> & { readonly claims: string }

/** What a Worker calls. */
export interface SessionRpc {
  post(post: PostText): Promise<SessionReply>
  terminate(expiresAt: number): Promise<boolean>
}

export type SessionObjectClass = new (
  ctx: DurableObjectState,
  env: Cloudflare.Env,
) => DurableObject & SessionRpc

/**
 * One session.
 *
 * Layout: rows for the logs of its streams, for requests that outlive their first moment, their
 * journals and questions, and for what the client has set; lines are hibernatable WebSockets.
 * Lifetime: no row until there is something to keep, and none when there is nothing left: one alarm
 * looks after all of it. An ended session leaves a tombstone until its id expires. Trade-off: a quick
 * and silent call leaves no trace, so a kill in its first moment is told by the broken connection.
 */
export function createSessionClass(host: SessionHost): SessionObjectClass {
  return class McpSession extends DurableObject implements SessionRpc {
    readonly #storage: SessionStorage
    readonly #client: ClientState
    readonly #tails: StreamSockets
    readonly #logs: StreamLogs
    readonly #news: SessionSubscriptions
    readonly #runs: Runs
    readonly #requests: PostRequests
    #alarmAt: number | undefined
    /** Whether what was cut off has been taken care of since this object came into memory. */
    #recovered = false
    /** Until when it stays ended; undefined while it lives. */
    #endedUntil: number | undefined

    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env)
      const { limits } = host
      answerHeartbeats(ctx)
      this.#storage = new SessionStorage(ctx.storage)
      this.#client = new ClientState(this.#storage)
      this.#tails = new StreamSockets(ctx)
      this.#logs = new StreamLogs(this.#storage, this.#tails, limits)
      const { subscriptionsPerSession } = limits
      this.#news = new SessionSubscriptions(
        this.#storage,
        this.#logs,
        this.#tails,
        this.#client,
        subscriptionsPerSession,
      )
      this.#runs = new Runs({
        storage: this.#storage,
        logs: this.#logs,
        asks: new Asks(this.#storage, this.#logs, this.#news),
        client: this.#client,
        host,
        deployment: host.deploymentOf(env),
        waitUntil: (promise) => ctx.waitUntil(promise),
        sessionOf: (run) => this.#sessionOf(run),
        schedule: (by = Number.POSITIVE_INFINITY) =>
          this.#wakeAt(Math.min(Date.now() + HEARTBEAT_MS, by)),
      })
      this.#requests = new PostRequests(this.#runs, this.#client, limits)
      const ended = this.#storage.existing?.setting(Setting.endedUntil)
      this.#endedUntil = ended === undefined ? undefined : Number(ended)
      if (this.#storage.existing !== undefined) {
        void ctx.blockConcurrencyWhile(async () => {
          this.#alarmAt = (await ctx.storage.getAlarm()) ?? undefined
        })
      }
    }

    /** The messages of one POST. */
    async post(post: PostText): Promise<SessionReply> {
      if (this.#endedUntil !== undefined) return { kind: 'gone' }
      this.#client.setClaimsText(post.claims)
      this.#client.auth = post.auth
      this.#recover()
      const requests: RequestMessage[] = []
      /** Of this very batch, and given up in it. */
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
      return this.#requests.serve(post, requests, cancelled)
    }

    /** Ends the session; false where it has ended before. */
    async terminate(expiresAt: number): Promise<boolean> {
      if (this.#endedUntil !== undefined) return false
      this.#runs.terminate()
      this.#endedUntil = expiresAt
      this.#storage.clear(() => {
        this.#storage.statements.saveSetting(Setting.endedUntil, String(expiresAt))
      })
      this.#tails.closeAll(CloseCode.gone)
      this.#alarmAt = undefined
      this.#wakeAt(expiresAt)
      return true
    }

    /** Opens a line, the tail of one stream, or refuses it with a status. */
    override fetch(request: Request): Response {
      const tail = parseStreamReadRequest(request)
      if (tail === undefined) return new Response('Not a request for a line', { status: 400 })
      if (this.#endedUntil !== undefined)
        return new Response(null, { status: ReadRefusalStatus.gone })
      this.#client.setClaims(tail.claims)
      this.#recover()
      const refusal = this.#logs.refusalOf(tail)
      if (refusal !== undefined) return new Response(null, { status: ReadRefusalStatus[refusal] })
      // Nothing is awaited from here on: what is appended is either caught up with or sent.
      const { theirs, ours } = this.#tails.accept(tail, host.limits.streamsPerSession)
      if (tail.kind !== 'answer') this.#news.electPrimary()
      this.#logs.catchUp(ours, tail)
      return new Response(null, { status: 101, webSocket: theirs })
    }

    override webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
      const told = typeof text === 'string' ? parseWorkerMessage(text) : undefined
      if (told === undefined || this.#endedUntil !== undefined) return
      this.#client.setClaims(told.claims)
      this.#recover()
      if (told.kind === 'acknowledge')
        this.#logs.taken(this.#tails.streamOf(socket).stream, told.seq)
      else if (this.#news.take(socket, told)) {
        this.#wakeAt(Date.now() + host.limits.logRetentionMs)
      }
    }

    override webSocketClose(socket: WebSocket): void {
      this.#leave(socket)
    }

    override webSocketError(socket: WebSocket): void {
      this.#leave(socket)
    }

    override async alarm(): Promise<void> {
      this.#alarmAt = undefined
      const now = Date.now()
      const { existing } = this.#storage
      if (existing === undefined) return
      if (this.#endedUntil !== undefined) {
        if (now >= this.#endedUntil) await this.#drop()
        else this.#wakeAt(this.#endedUntil)
        return
      }
      this.#recovered = true
      this.#runs.recover()
      this.#runs.expire(now)
      const { expiresAt } = this.#client.claims
      const isLive = now < expiresAt
      const settings = isLive && (this.#client.hasSettings || !this.#news.isEmpty)
      const due = [
        this.#logs.sweep(now),
        this.#news.sweep(now),
        existing.nextAskExpiry() ?? undefined,
        this.#runs.isIdle ? undefined : now + HEARTBEAT_MS,
        // A request that is under way when its session expires still gets its answer.
        isLive ? expiresAt : undefined,
      ].filter((at) => at !== undefined)
      if (!settings && this.#logs.isEmpty && existing.countRuns() === 0) return this.#drop()
      if (due.length > 0) this.#wakeAt(Math.max(Math.min(...due), now + MIN_SLEEP_MS))
    }

    async #drop(): Promise<void> {
      this.#client.forget()
      await this.ctx.blockConcurrencyWhile(() => this.#storage.drop())
    }

    #recover(): void {
      if (this.#recovered) return
      this.#recovered = true
      this.#runs.recover()
    }

    #leave(socket: WebSocket): void {
      this.#tails.end(socket, CloseCode.complete)
      const { stream, kind } = this.#tails.streamOf(socket)
      this.#logs.leave(stream)
      if (kind === 'answer') return
      this.#news.electPrimary()
      // What it had is kept for a while, for a reader that comes back.
      if (!this.#logs.isEmpty) this.#wakeAt(Date.now() + host.limits.logRetentionMs)
    }

    #sessionOf(run: Run): CallSession {
      const { sessionId, auth } = run.request
      return {
        id: sessionId,
        setLogLevel: (level) => {
          this.#client.setLogLevel(level)
          this.#wakeAt(this.#client.claims.expiresAt)
        },
        subscribe: async (uri) => {
          const bus = host.deploymentOf(this.env).services.changes()
          if (bus === undefined) throw new TypeError('Subscribing needs the hub')
          await this.#news.subscribe(uri, auth?.subject, bus)
          this.#wakeAt(this.#client.claims.expiresAt)
        },
        unsubscribe: (uri) => this.#news.unsubscribe(uri),
        expectElicitation: (id) => {
          this.#news.expectElicitation(id)
          this.#wakeAt(this.#client.claims.expiresAt)
        },
        closeStream: () => {
          const { delivery } = run
          const { polling } = this.#client.revision.features
          if (!polling || !delivery.mayStream || delivery.kind !== 'answer') return
          this.#runs.open(delivery)
          this.#logs.closeConnection(delivery.stream)
        },
      }
    }

    /** Moves the alarm forward, never back. */
    #wakeAt(at: number): void {
      if (this.#alarmAt !== undefined && this.#alarmAt <= at) return
      this.#alarmAt = at
      void this.ctx.storage.setAlarm(at)
    }
  }
}

/** Any other notification is for the client to say and for nobody here to act upon. */
function cancelledBy({ method, params }: NotificationMessage): RequestId | undefined {
  const requestId = params?.requestId
  return method === 'notifications/cancelled' && isRequestId(requestId) ? requestId : undefined
}
