/**
 * `sessions()`: durable sessions of the revisions before 2026-07-28, with the transport of 2024-11-05 and
 * batches. Without it, their requests are served one by one.
 */

import { SessionObject } from '../../../durable-objects/session/session-object.ts'
import { createSessions } from '../../../durable-objects/session/sessions.ts'
import { type CreateTaskPart, TASK_PART } from '../../../durable-objects/session/task-part.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { runHostOf } from '../../feature/run-host.ts'
import { resolveLimits } from '../../platform/limits.ts'
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from '../../ports/session-limits.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { SessionTransport } from '../../transport/extensions.ts'
import { idOf } from '../../transport/message.ts'
import { asks } from '../asks/asks.ts'
import { pingAsk } from '../asks/journal/ask.ts'
import { roundOf } from '../asks/run-round.ts'
import { PRINCIPALS, REDEEMED } from '../keyring/shared-parts.ts'
import { createHttpSsePaths, type HttpSseOptions } from './http-sse/paths.ts'
import { serveBatchInSession, serveBatchWithoutSession } from './transport/batch.ts'
import { handleDelete } from './transport/end-session.ts'
import { findSession } from './transport/find-session.ts'
import { handleGet } from './transport/get-stream.ts'
import { serveInSession } from './transport/in-session.ts'
import { openSession } from './transport/open-session.ts'
import { SessionIds } from './transport/session-id.ts'

export interface SessionsOptions extends Partial<SessionLimits> {
  /**
   * Paths of the 2024-11-05 transport: a stream, default `/sse`, and one for messages, default
   * `/messages`. They may have params, the same ones; when every path of the endpoint has params, the
   * defaults have those of `path`: `/sse/{org}`. The stream may have the path of the endpoint: a GET
   * without a session id then opens it. False serves neither.
   */
  readonly httpSse?: HttpSseOptions | false
  /**
   * Refuses the modern revision, so that its clients open a session, for a server whose handlers need one.
   * Default false.
   */
  readonly only?: boolean
}

export type Sessions = Feature<'sessions', object, 'asks'>

/** @throws {TypeError} for an invalid option; for paths from `createEdgeway` */
export function sessions({ httpSse, only, ...given }: SessionsOptions = {}): Sessions {
  if (httpSse && !isJsonObject(httpSse)) {
    throw new TypeError('sessions({ httpSse }) must be false or { path, messagesPath }')
  }
  const limits = resolveLimits('sessions', DEFAULT_SESSION_LIMITS, given)
  const create = (app: AppContext) => createParts(app, limits, httpSse, only)
  return createFeature('sessions', create, [asks()])
}

const createTransport = (limits: SessionLimits): SessionTransport => ({
  ids: new SessionIds(),
  GET: handleGet,
  DELETE: handleDelete,
  open: openSession,
  serve: async (exchange, sessionId, message) => {
    const session = await findSession(exchange, sessionId, 'streamable-http', idOf(message))
    return serveInSession(exchange, session, [message], false)
  },
  serveBatch: (exchange, sessionId, revision, values) =>
    sessionId === undefined
      ? serveBatchWithoutSession(exchange, revision, values, limits)
      : serveBatchInSession(exchange, sessionId, values),
})

function createParts(
  app: AppContext,
  limits: SessionLimits,
  httpSse: HttpSseOptions | false = app.modernOnly ? false : {},
  only = false,
): FeatureParts {
  if (app.modernOnly && (only || httpSse !== false)) {
    throw new TypeError(
      'modernOnly excludes sessions({ only }) and sessions({ httpSse }), which serve older revisions',
    )
  }
  const { streamAfterMs, writeStallMs } = app.limits
  const host = runHostOf(app, { ...limits, streamAfterMs, writeStallMs })
  const createTaskPart: CreateTaskPart = (context) => TASK_PART.of(app.extensions)[0]?.(context)
  return {
    parts: {
      session: { create: (...place) => new SessionObject(...place, host, createTaskPart) },
      principals: PRINCIPALS,
      redeemed: REDEEMED,
    },
    services: {
      sessions: (bindings) => {
        const objects = app.objectsIn(bindings).of<SessionObject>('session')
        return objects && createSessions(objects, limits)
      },
    },
    dispatch: {
      context: {
        session: (run) => {
          const { session } = run.call.run
          const ping = () => roundOf(run).ask(undefined, pingAsk())
          return session && { id: session.id, ping }
        },
        closeStream: (run) => () => {
          if (!run.isClosed) run.call.run.session?.closeStream()
        },
      },
    },
    transport: {
      sessions: createTransport(limits),
      sessionsOnly: only,
      ...(httpSse === false
        ? undefined
        : {
            paths: (patterns, handlers) =>
              createHttpSsePaths(
                httpSse,
                patterns,
                handlers,
                (env) => app.servicesOf(env).sessions() !== undefined,
              ),
          }),
    },
    announced: { sessionsOnly: only },
  }
}
