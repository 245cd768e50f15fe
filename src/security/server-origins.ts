/**
 * The origins of an app, for everything but tokens: what its URLs begin with, what names the callers of
 * `verifier()` and `fromContext()`, and whether a request belongs to a development server. The host of a
 * request selects among the configured origins and decides nothing else.
 */
import { perEnvironment } from '../platform/per-object.ts'
import { isLoopbackName } from '../protocol/loopback-name.ts'
import {
  configuredOrigins,
  isForDevelopment,
  type Origins,
  originOf,
  originVariable,
} from './configured-origins.ts'
import { namesForeignClient } from './forwarded-client.ts'
import type { HostCheck } from './host.ts'

export interface ServerOrigins {
  /**
   * The origin of URLs that name this server: the configured one that the host of the request selects, the
   * first one for any other host. Without a configured origin, that of the request, in normal form.
   *
   * @throws {TypeError} when the variable is invalid
   */
  ofRequest(request: Pick<Request, 'url'>, env: unknown): string
  /**
   * The issuer of callers whose credentials name none: the first configured origin. Without one, a name that
   * contains the audience. It is the same for every host.
   *
   * @throws {TypeError} when the variable is invalid
   */
  ofCallers(env: unknown): string
  /**
   * Whether a request belongs to a development server, whose timeline and inspector are open, and whose
   * owner signs in without a passphrase. The configured origins must be loopback names, or the variable
   * must say that the server is one of development. The host of the request must be a loopback name, and
   * no header may name a client on another computer; neither is sufficient: a client can send any `Host`.
   */
  isDevelopment(request: Request, env: unknown): boolean
  /** Whether a request would belong to a development server if the variable said so. */
  isUndeclared(request: Request, env: unknown): boolean
}

export interface ServerOriginsOptions {
  /** The origins of the options; empty where the environment has them. */
  readonly listed: readonly string[]
  readonly audience: string
  readonly checkHost: HostCheck
}

/** @throws {TypeError} for an invalid origin of the options */
export function createServerOrigins({
  listed,
  audience,
  checkHost,
}: ServerOriginsOptions): ServerOrigins {
  const own = listed.length === 0 ? undefined : configuredOrigins({ origins: listed })
  const inEnvironment = perEnvironment((env) => ({ origins: originVariable(env) }))
  const configured = (env: unknown): Origins | undefined => own ?? inEnvironment(env).origins

  const isLocal = (request: Request) =>
    // The host first: it decides for nearly every request of a deployment, and costs the least.
    checkHost(request.url).loopback && !namesForeignClient(request)

  return {
    ofRequest({ url }, env) {
      const origins = configured(env)
      return origins === undefined ? checkHost(url).origin : originOf(origins, url)
    },
    // Encoded, so that a path that is added to it begins where the name ends.
    ofCallers: (env) =>
      configured(env)?.[0] ?? `urn:edgeway:${encodeURIComponent(audience.toWellFormed())}`,
    isDevelopment(request, env) {
      if (!isLocal(request)) return false
      try {
        const origins = configured(env)
        if (origins === undefined) return isForDevelopment(env)
        return origins.every((origin) => isLoopbackName(new URL(origin).hostname))
      } catch {
        // Authorization, or the first URL that is needed, reports an invalid variable.
        return false
      }
    },
    isUndeclared(request, env) {
      if (!isLocal(request) || isForDevelopment(env)) return false
      try {
        return configured(env) === undefined
      } catch {
        return false
      }
    },
  }
}
