/** The services of a recorded request: every call of an object is a span, and marks the request. */
import type { CallServices } from './call.ts'
import type { SpanRecording } from './span-recording.ts'

export interface ObjectObserver {
  readonly spans: SpanRecording | undefined
  markObject(): void
}

/**
 * The ports of a call, each wrapped when it is first asked for: nearly no request uses one. Sealing keys are
 * cached, so the sealer is not wrapped.
 */
export class ObservedServices implements CallServices {
  readonly #services: CallServices
  readonly #observer: ObjectObserver

  constructor(services: CallServices, observer: ObjectObserver) {
    this.#services = services
    this.#observer = observer
  }

  get sealer(): CallServices['sealer'] {
    return this.#services.sealer
  }

  get changes(): CallServices['changes'] {
    return () => observed(this.#services.changes(), 'hub', this.#observer)
  }

  get sessions(): CallServices['sessions'] {
    return () => observed(this.#services.sessions(), 'session', this.#observer)
  }

  get tasks(): CallServices['tasks'] {
    return () => observed(this.#services.tasks(), 'task', this.#observer)
  }

  get state(): CallServices['state'] {
    return () => observedOf(this.#services.state(), 'state', this.#observer)
  }

  get files(): CallServices['files'] {
    return () => observedOf(this.#services.files(), 'files', this.#observer)
  }
}

/** A store whose object depends on the owner. */
function observedOf<Owner, Port extends object>(
  store: { of(owner: Owner): Port } | undefined,
  kind: string,
  observer: ObjectObserver,
): { of(owner: Owner): Port } | undefined {
  return store && { of: (owner) => observedPort(store.of(owner), kind, observer) }
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
