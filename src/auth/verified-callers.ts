/** Verifies credentials, and caches the callers per isolate. */

import { withDeadline } from '../platform/deadline.ts'
import { LruMap } from '../platform/lru-map.ts'
import { SingleFlight } from '../platform/single-flight.ts'
import type { Background } from '../ports/authenticator.ts'
import type { GrantProps } from '../protocol/auth-info.ts'

/** The caller that a verifier has recognised. */
export interface VerifiedCaller<Props = GrantProps> {
  /** The stable name of the person or service, 1 to 255 characters. */
  readonly subject: string
  /** Default: `unknown`. */
  readonly clientId?: string
  /** Default: none. */
  readonly scopes?: readonly string[]
  /** JSON. It reaches handlers as `ctx.auth.props`. */
  readonly props?: Props
}

export interface VerifiedCallersOptions {
  /** Undefined for credentials that are not valid. Rejects when they cannot be checked now. */
  readonly verify: (request: Request, env: unknown) => Promise<VerifiedCaller | undefined>
  /** Both in milliseconds. */
  readonly freshMs: number
  readonly maxAgeMs: number
}

interface Checked {
  readonly caller: VerifiedCaller
  readonly at: number
}

const VERIFY_TIMEOUT_MS = 10_000
const MAX_CALLERS = 1_000
/** An open stream adds its own interval to the age of a check. */
const STREAM_CHECK_MS = 1_000

/** Only valid credentials are cached, so invalid ones cannot evict them. */
export class VerifiedCallers {
  readonly #options: VerifiedCallersOptions
  readonly #environments = new WeakMap<object, Environment>()

  constructor(options: VerifiedCallersOptions) {
    this.#options = options
  }

  /** @param background receives a check that a request does not wait for */
  find(
    credentials: string,
    request: Request,
    env: unknown,
    background: Background | undefined,
  ): VerifiedCaller | Promise<VerifiedCaller | undefined> {
    const { freshMs, maxAgeMs } = this.#options
    const known = this.#in(env).checked.get(credentials)
    const age = known === undefined ? Number.POSITIVE_INFINITY : Date.now() - known.at
    if (known === undefined || age >= maxAgeMs) return this.#check(credentials, request, env)
    if (age >= freshMs) {
      const check = this.#check(credentials, request, env)
      if (background === undefined) return check
      // The next request finds the error again, and reports it.
      background(check.catch(() => undefined))
    }
    return known.caller
  }

  /** Checks credentials again, unless they were checked a moment ago. */
  async check(credentials: string, request: Request, env: unknown) {
    const known = this.#in(env).checked.peek(credentials)
    return known !== undefined && Date.now() - known.at < STREAM_CHECK_MS
      ? known.caller
      : this.#check(credentials, request, env)
  }

  #check(credentials: string, request: Request, env: unknown): Promise<VerifiedCaller | undefined> {
    const { checked, checks } = this.#in(env)
    return checks.run(credentials, async () => {
      const at = Date.now()
      const caller = await withDeadline(
        VERIFY_TIMEOUT_MS,
        this.#options.verify(request, env),
        () => {
          throw new Error(`The verifier took longer than ${VERIFY_TIMEOUT_MS} ms`)
        },
      )
      if (caller === undefined) checked.delete(credentials)
      else checked.set(credentials, { caller, at })
      return caller
    })
  }

  #in(env: unknown): Environment {
    const key = typeof env === 'object' && env !== null ? env : NO_ENVIRONMENT
    const known = this.#environments.get(key)
    if (known !== undefined) return known
    const created: Environment = {
      checked: new LruMap(MAX_CALLERS),
      checks: new SingleFlight(VERIFY_TIMEOUT_MS, VERIFY_TIMEOUT_MS),
    }
    this.#environments.set(key, created)
    return created
  }
}

const NO_ENVIRONMENT = {}

interface Environment {
  readonly checked: LruMap<Checked>
  readonly checks: SingleFlight<VerifiedCaller | undefined>
}
