/** The objects of MCP Events in the Worker: calls of logs and of the objects of principals, and feeds of logs. */

import type { Result } from '../../src/platform/result.ts'
import { invalid, valid } from '../../src/platform/result.ts'
import type {
  EventLogRpc,
  EventObjects,
  ListenRefusal,
  LogFeed,
  LogName,
  SubscriberRpc,
} from '../../src/ports/events.ts'
import { type CallByName, callerOf, type ObjectNamespace } from '../object-call.ts'
import { nameOfCode } from '../stream-codec.ts'
import { closeSocketOf, openStreamSocket } from '../stream-socket.ts'
import { ListenRefusalStatus, listenRequest, parseBegan, parseOccurrences } from './log/log-wire.ts'
import { logObjectName, subscriberObjectName } from './object-names.ts'

/** After its own parameters, each call names the server that it belongs to. */
type NamingServer<Rpc> = {
  [Name in keyof Rpc]: Rpc[Name] extends (...params: infer Params) => infer Result
    ? (...params: [...Params, server: string]) => Result
    : never
}

/** The calls of an object of either kind. */
export type EventsRpc = NamingServer<EventLogRpc & SubscriberRpc>

export type EventsStub = EventsRpc & { fetch(request: Request): Promise<Response> }

export type EventsNamespace = ObjectNamespace<EventsStub>

/** A lost connection is detected by the second heartbeat after it. */
const HEARTBEAT_MS = 30_000

/** Of a call that waits for the author's listener, or for the challenge of a callback. */
const SLOW_CALL_MS = 45_000

/** Calls logs: see `callObject`. */
export function createLogCaller(call: CallByName<EventsStub>, audience: string) {
  return async <T>(
    name: LogName,
    work: (log: EventsStub) => Promise<T>,
    ...bounds: readonly [timeoutMs?: number, discard?: (late: T) => void]
  ): Promise<T> => call(await logObjectName(audience, name), work, ...bounds)
}

/**
 * @param audience the configured name of the server, which names its logs
 * @param server that the calls belong to, from `serverText`
 */
export function createEventObjects(
  namespace: EventsNamespace,
  audience: string,
  server: string,
): EventObjects {
  const callNamed = callerOf(namespace)
  const callLog = createLogCaller(callNamed, audience)
  return {
    emit: (name, occurrence) => callLog(name, (log) => log.emit(name, occurrence, server)),

    read: (name, query) => callLog(name, (log) => log.read(name, query, server)),

    lease: (name, lease) => callLog(name, (log) => log.lease(name, lease, server), SLOW_CALL_MS),

    async listen(name, listener): Promise<Result<LogFeed, ListenRefusal>> {
      const { start, subject, holder, arguments: text } = listener
      const open = (log: EventsStub) =>
        log.fetch(listenRequest({ name, start, subject, holder, arguments: text }, server))
      const response = await callLog(name, open, undefined, closeSocketOf)
      const { webSocket: socket, status } = response
      const began = parseBegan(response.headers)
      if (socket === null || began === undefined) {
        if (socket !== null) closeSocketOf(response)
        else await response.body?.cancel()
        const refusal = nameOfCode<ListenRefusal>(ListenRefusalStatus, status)
        if (refusal !== undefined) return invalid(refusal)
        throw new Error(`The log refused the listener with status ${status}`)
      }
      const stream = openStreamSocket(socket, HEARTBEAT_MS, {
        onMessage: (text) => {
          const occurrences = parseOccurrences(text)
          if (occurrences.length > 0) listener.onOccurrences(occurrences)
        },
        onError: (error) => listener.onLost(error),
        onClose: () => listener.onLost(),
      })
      return valid({ ...began, close: () => stream.close() })
    },

    subscriber(principal) {
      const name = subscriberObjectName(principal)
      const call = <T>(work: (subscriber: EventsStub) => Promise<T>, timeoutMs?: number) =>
        callNamed(name, work, timeoutMs)
      return {
        subscribe: (request) =>
          call((subscriber) => subscriber.subscribe(request, server), SLOW_CALL_MS),
        unsubscribe: (key) => call((subscriber) => subscriber.unsubscribe(key, server)),
        accept: (page) => call((subscriber) => subscriber.accept(page, server)),
        subscriptions: () => call((subscriber) => subscriber.subscriptions(server)),
        end: (reason, id, grant) => call((subscriber) => subscriber.end(reason, id, grant, server)),
        erase: () => call((subscriber) => subscriber.erase(server)),
      }
    },
  }
}
