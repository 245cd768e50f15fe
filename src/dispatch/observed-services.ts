/** The services of a recorded request: every call of an object is a span, and marks the request. */
import type { CallServices } from './call.ts'
import type { SpanRecording } from './span-recording.ts'

export interface ObjectObserver {
  readonly spans: SpanRecording | undefined
  markObject(): void
}

/** Wraps the ports whose every method calls an object. Sealing keys are cached, so the sealer is not one. */
export function observeServices<S extends CallServices>(services: S, observer: ObjectObserver): S {
  return {
    ...services,
    changes: () => observed(services.changes(), 'hub', observer),
    sessions: () => observed(services.sessions(), 'session', observer),
    state: () => {
      const store = services.state()
      return store && { of: (owner) => observedPort(store.of(owner), 'state', observer) }
    },
    tasks: () => observed(services.tasks(), 'task', observer),
  }
}

function observed<Port extends object>(
  port: Port | undefined,
  kind: string,
  observer: ObjectObserver,
): Port | undefined {
  return port && observedPort(port, kind, observer)
}

function observedPort<Port extends object>(
  port: Port,
  kind: string,
  observer: ObjectObserver,
): Port {
  return new Proxy(port, new ObservedPort<Port>(kind, observer))
}

class ObservedPort<Port extends object> implements ProxyHandler<Port> {
  readonly #kind: string
  readonly #observer: ObjectObserver

  constructor(kind: string, observer: ObjectObserver) {
    this.#kind = kind
    this.#observer = observer
  }

  get(target: Port, operation: string | symbol): unknown {
    const member: unknown = Reflect.get(target, operation, target)
    if (typeof member !== 'function' || typeof operation === 'symbol') return member
    return (...args: unknown[]) => {
      this.#observer.markObject()
      const { spans } = this.#observer
      const call = (): unknown => Reflect.apply(member, target, args)
      return spans === undefined
        ? call()
        : spans.within('object-call', `${this.#kind}.${operation}`, call)
    }
  }
}
