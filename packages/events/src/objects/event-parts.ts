/** The objects of MCP Events: the log of an event type, and the object of a principal. Each calls the other kind. */

import { readObjectName } from '../../../../src/ports/object-kinds.ts'
import type { AppObjects, PartSource } from '../../../../src/ports/objects.ts'
import { createLogCaller, createSubscriberCaller } from './event-objects.ts'
import type { EventsHost } from './events-host.ts'
import { EventLog } from './log/event-log.ts'
import type { LogName, Registration } from './port.ts'
import { Subscriber } from './subscriber/subscriber.ts'

const now = () => Date.now()

/** The log hands occurrences over, and a subscription is registered in the log. The functions of an app run in both. */
export function createEventParts(host: EventsHost): {
  readonly log: PartSource
  readonly subscriber: PartSource
} {
  return {
    log: {
      create: (state, env, objects) => {
        const call = createSubscriberCaller(objects)
        return new EventLog({ state, env, host, now }, (principal, page) =>
          call(principal, (subscriber) => subscriber.accept(page)),
        )
      },
    },
    subscriber: {
      create: (state, env, objects) =>
        new Subscriber({
          ...{ state, env, host, now },
          principal: readObjectName(state.id.name)?.key ?? '',
          fetch: (input, init) => fetch(input, init),
          log: registrationsIn(objects),
        }),
    },
  }
}

function registrationsIn(objects: AppObjects) {
  const call = createLogCaller(objects)
  return {
    register: (name: LogName, registration: Registration) =>
      call(name, (log) => log.register(name, registration)),
    unregister: (name: LogName, id: string) => call(name, (log) => log.unregister(name, id)),
  }
}
