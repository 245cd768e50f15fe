/** The objects of MCP Events in the Worker: calls of logs and of the objects of principals, and feeds of logs. */

import {
  type CallByName,
  callerOf,
  closeSocketOf,
  nameOfCode,
  openStreamSocket,
} from '../../../../src/internal.ts'
import { ConfigurationError } from '../../../../src/platform/configuration-error.ts'
import type { Result } from '../../../../src/platform/result.ts'
import { invalid, valid } from '../../../../src/platform/result.ts'
import type { AppObjects, CallsOf, ObjectStub } from '../../../../src/ports/objects.ts'
import type { EventLog } from './log/event-log.ts'
import { FeedRefusalStatus, feedRequest, parseBegan, parseOccurrences } from './log/log-wire.ts'
import { logKey } from './object-keys.ts'
import type { EventObjects, FeedRefusal, LogFeed, LogName } from './port.ts'
import type { Subscriber } from './subscriber/subscriber.ts'

type LogStub = CallsOf<EventLog> & ObjectStub

type SubscriberStub = CallsOf<Subscriber>

/** A lost connection is detected by the second heartbeat after it. */
const HEARTBEAT_MS = 30_000

/** Of a call that waits for the author's listener, or for the challenge of a callback. */
const SLOW_CALL_MS = 45_000

/**
 * Calls logs: see `callObject`.
 *
 * @throws {ConfigurationError} without the binding
 */
export function createLogCaller(objects: AppObjects) {
  const call = callerOf(required(objects.of<EventLog>('log')))
  return async <T>(
    name: LogName,
    work: (log: LogStub) => Promise<T>,
    ...bounds: readonly [timeoutMs?: number, discard?: (late: T) => void]
  ): Promise<T> => call(await logKey(name), work, ...bounds)
}

/** @throws {ConfigurationError} without the binding */
export function createSubscriberCaller(objects: AppObjects): CallByName<SubscriberStub> {
  return callerOf(required(objects.of<Subscriber>('subscriber')))
}

function required<Objects>(objects: Objects | undefined): Objects {
  if (objects === undefined) throw new ConfigurationError('Events need the binding MCP_OBJECTS')
  return objects
}

/** @throws {ConfigurationError} without the binding */
export function createEventObjects(objects: AppObjects): EventObjects {
  const callSubscriber = createSubscriberCaller(objects)
  const callLog = createLogCaller(objects)
  return {
    emit: (name, occurrence) => callLog(name, (log) => log.emit(name, occurrence)),

    read: (name, query) => callLog(name, (log) => log.read(name, query)),

    lease: (name, lease) => callLog(name, (log) => log.lease(name, lease), SLOW_CALL_MS),

    async openFeed(name, options): Promise<Result<LogFeed, FeedRefusal>> {
      const { start, subject, holder, arguments: text } = options
      const open = (log: LogStub) =>
        log.fetch(feedRequest({ name, start, subject, holder, arguments: text }))
      const response = await callLog(name, open, undefined, closeSocketOf)
      const { webSocket: socket, status } = response
      const began = parseBegan(response.headers)
      if (socket === null || began === undefined) {
        if (socket !== null) closeSocketOf(response)
        else await response.body?.cancel()
        const refusal = nameOfCode<FeedRefusal>(FeedRefusalStatus, status)
        if (refusal !== undefined) return invalid(refusal)
        throw new Error(`The log refused the feed with status ${status}`)
      }
      const stream = openStreamSocket(socket, HEARTBEAT_MS, {
        onMessage: (text) => {
          const occurrences = parseOccurrences(text)
          if (occurrences.length > 0) options.onOccurrences(occurrences)
        },
        onError: (error) => options.onLost(error),
        onClose: () => options.onLost(),
      })
      return valid({ ...began, close: () => stream.close() })
    },

    subscriber(principal) {
      const call = <T>(work: (subscriber: SubscriberStub) => Promise<T>, timeoutMs?: number) =>
        callSubscriber(principal, work, timeoutMs)
      return {
        subscribe: (request) => call((subscriber) => subscriber.subscribe(request), SLOW_CALL_MS),
        unsubscribe: (key) => call((subscriber) => subscriber.unsubscribe(key)),
        accept: (page) => call((subscriber) => subscriber.accept(page)),
        subscriptions: () => call((subscriber) => subscriber.subscriptions()),
        end: (reason, id, grant) => call((subscriber) => subscriber.end(reason, id, grant)),
        erase: () => call((subscriber) => subscriber.erase()),
      }
    },
  }
}
