/** The services of a recorded request: every call of an object is a span, and marks the request. */
import type { CallServices } from './call.ts'
import type { Recording } from './recording.ts'

/**
 * The ports of a call, each wrapped when it is first asked for: nearly no request uses one. Sealing keys are
 * cached, so the sealer is not wrapped.
 */
export class ObservedServices implements CallServices {
  readonly #services: CallServices
  readonly #recording: Recording

  constructor(services: CallServices, recording: Recording) {
    this.#services = services
    this.#recording = recording
  }

  get sealer(): CallServices['sealer'] {
    return this.#services.sealer
  }

  get rateLimits(): CallServices['rateLimits'] {
    return this.#services.rateLimits
  }

  get changes(): CallServices['changes'] {
    return () => observed(this.#services.changes(), 'hub', this.#recording)
  }

  get sessions(): CallServices['sessions'] {
    return () => observed(this.#services.sessions(), 'session', this.#recording)
  }

  get tasks(): CallServices['tasks'] {
    return () => observed(this.#services.tasks(), 'task', this.#recording)
  }

  get state(): CallServices['state'] {
    return () => observed(this.#services.state(), 'state', this.#recording)
  }

  get files(): CallServices['files'] {
    return () => observed(this.#services.files(), 'files', this.#recording)
  }

  get of(): CallServices['of'] {
    return (key) => observed(this.#services.of(key), key.kind, this.#recording)
  }
}

/** The members of a port that return the port of one owner. */
const OF_OWNER: ReadonlySet<string> = new Set(['of', 'subscriber'])

function observed<Port extends object | undefined>(
  port: Port,
  kind: string,
  recording: Recording,
): Port {
  if (port === undefined) return port
  return new Proxy(port, {
    get(target, operation) {
      const member: unknown = Reflect.get(target, operation, target)
      if (typeof member !== 'function' || typeof operation === 'symbol') return member
      return (...args: unknown[]) => {
        const call = (): unknown => Reflect.apply(member, target, args)
        if (OF_OWNER.has(operation)) return observed(call() as object, kind, recording)
        recording.markObject()
        return recording.within('object-call', `${kind}.${operation}`, call)
      }
    },
  })
}
