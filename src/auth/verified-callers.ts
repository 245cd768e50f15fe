/** Verifies credentials, and caches the callers per isolate. */

import { withDeadline } from '../platform/deadline.ts'
import { perEnvironment } from '../platform/per-object.ts'
import { RefreshingCache } from '../platform/refreshing-cache.ts'
import { FOLLOW_MARGIN_MS } from '../platform/single-flight.ts'
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

const VERIFY_TIMEOUT_MS = 10_000
const MAX_CALLERS = 1_000
/** An open stream adds its own interval to the age of a check. */
const STREAM_CHECK_MS = 1_000

/** The refusal of credentials that are not valid, as the cache receives it. */
const INVALID = new Error('The credentials are not valid')

/** The callers of one environment, by their credentials. A load needs the request and the environment. */
type Callers = RefreshingCache<VerifiedCaller, [request: Request, env: unknown]>

/** Only valid credentials are cached, so invalid ones cannot evict them. */
export class VerifiedCallers {
  readonly #in: (env: unknown) => Callers

  constructor(options: VerifiedCallersOptions) {
    this.#in = perEnvironment(() => createCallers(options))
  }

  /** @param background receives a check that a request does not wait for */
  find(
    credentials: string,
    request: Request,
    env: unknown,
    background: Background | undefined,
  ): VerifiedCaller | Promise<VerifiedCaller | undefined> {
    const callers = this.#in(env)
    // The next request finds an error again, and reports it.
    const quietly =
      background && ((check: Promise<unknown>) => background(check.catch(() => undefined)))
    return (
      callers.fresh(credentials) ??
      unlessInvalid(callers.get(credentials, { background: quietly }, request, env))
    )
  }

  /** Checks credentials again, unless they were checked a moment ago. */
  check(credentials: string, request: Request, env: unknown) {
    const cacheRequest = { maxAgeMs: STREAM_CHECK_MS, staleIfError: false }
    return unlessInvalid(this.#in(env).get(credentials, cacheRequest, request, env))
  }

  /** Removes the callers with a subject: their next request waits for a check. */
  evictSubject(subject: string, env: unknown): void {
    this.#in(env).invalidate((caller) => caller.subject === subject)
  }
}

function createCallers({ verify, freshMs, maxAgeMs }: VerifiedCallersOptions): Callers {
  return new RefreshingCache({
    load: async (_credentials, _previous, request, env) => {
      const loadedAt = Date.now()
      const value = await withDeadline(VERIFY_TIMEOUT_MS, verify(request, env), () => {
        throw new Error(`The verifier took longer than ${VERIFY_TIMEOUT_MS} ms`)
      })
      if (value === undefined) throw INVALID
      return { value, loadedAt, freshUntil: loadedAt + freshMs }
    },
    loadTimeoutMs: VERIFY_TIMEOUT_MS,
    followTimeoutMs: VERIFY_TIMEOUT_MS + FOLLOW_MARGIN_MS,
    maxStaleAgeMs: maxAgeMs,
    retryAfterMs: 0,
    maxEntries: MAX_CALLERS,
    isRemoval: (error) => error === INVALID,
    now: () => Date.now(),
  })
}

function unlessInvalid(caller: Promise<VerifiedCaller>): Promise<VerifiedCaller | undefined> {
  return caller.catch((error: unknown) => {
    if (error !== INVALID) throw error
    return undefined
  })
}
