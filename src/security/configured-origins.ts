/**
 * The configured origins of a server: each is an issuer and the origin of resources of its own.
 *
 * Everything that is sealed or signed contains the issuer, so all origins share one set of keys and objects. A host
 * that is not listed is the first origin. Origins differ in more than the scheme, because a Worker behind a proxy sees
 * `http:`.
 */

/** The variable that configures the origins of a deployment, separated by commas or white space. */
export const ORIGIN_VARIABLE = 'EDGEWAY_ORIGIN'

/** The value of the variable on the computer of a developer, where the port is not known before. */
export const DEVELOPMENT = 'development'

/** At least one. */
export type Origins = readonly [string, ...string[]]

export interface OriginOptions {
  /**
   * The origin of this server, such as `https://mcp.example.com`. It is the issuer and part of every
   * audience, so it is never read from a request. Default: the variable `EDGEWAY_ORIGIN`; on a
   * loopback host without one, and where it is `development`, the origin of the request.
   */
  readonly origin?: string
  /**
   * Several origins in place of `origin`, for a Worker with several host names. Each is an issuer, and its
   * paths are resources of their own. A request of a host that is not listed is served as the first one.
   */
  readonly origins?: readonly string[]
}

/** The origins of the options as they are, without a check; empty where the environment has them. */
export function listedOrigins({ origin, origins = [] }: OriginOptions): readonly string[] {
  return origin === undefined ? origins : [origin]
}

/** @throws {TypeError} for an invalid origin, for both options, and for two origins of one host */
export function configuredOrigins({ origin, origins }: OriginOptions): Origins | undefined {
  if (origin !== undefined && origins !== undefined) {
    throw new TypeError('Set either origin or origins')
  }
  const all = origin === undefined ? origins : [origin]
  return all && checkOrigins(all)
}

/**
 * Undefined where the variable is not set, and in development.
 *
 * @throws {TypeError} when the variable is set and invalid
 */
export function originVariable(env: unknown): Origins | undefined {
  const text = variableText(env)
  return text === '' || text === DEVELOPMENT ? undefined : checkOrigins(text.split(/[\s,]+/))
}

/** Whether the variable says that this deployment is the one of a developer. */
export function isForDevelopment(env: unknown): boolean {
  return variableText(env) === DEVELOPMENT
}

function variableText(env: unknown): string {
  const variable = (env as Record<string, unknown> | null | undefined)?.[ORIGIN_VARIABLE]
  return typeof variable === 'string' ? variable.trim() : ''
}

/**
 * The configured origin of a request. It is always one of the list: the request only selects. Behind a proxy
 * that ends TLS the scheme of the request is another one, so the host decides.
 */
export function originOf(origins: Origins, url: string): string {
  const [first, ...others] = origins
  if (others.length === 0) return first
  const { host } = new URL(url)
  return origins.find((origin) => new URL(origin).host === host) ?? first
}

function checkOrigins([first, ...others]: readonly string[]): Origins {
  if (first === undefined) throw new TypeError('origins must have at least one origin')
  const origins: Origins = [first, ...others]
  for (const origin of origins) checkOrigin(origin)
  const hosts = new Set(origins.map((origin) => new URL(origin).host))
  if (hosts.size < origins.length) throw new TypeError('Each origin must have a host of its own')
  return origins
}

/** @throws {TypeError} when the text is not an origin in its normal spelling */
function checkOrigin(origin: string): void {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return
  throw new TypeError(
    `The origin "${origin}" must be like https://mcp.example.com, without a path or a slash at the end`,
  )
}
