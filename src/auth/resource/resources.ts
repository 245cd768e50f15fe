/**
 * Protected resources: the URLs that people paste, which are what tokens are for. All of them are
 * configuration.
 */

export interface ResourceOptions {
  /** The URL as people paste it, such as `https://mcp.example.com/mcp`; published exactly so. */
  readonly resource: string
  /** Other URLs of the same resource, such as those of a moved domain: equally good in a token. */
  readonly aliases?: readonly string[]
  readonly name?: string | undefined
  /** URL of a page for developers. */
  readonly documentation?: string | undefined
}

/** What an `aud` may say, in its comparable form, and the resources that it stands for. */
export type Audiences = ReadonlyMap<string, readonly string[]>

export const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/**
 * The form in which two resource URLs are compared: people paste a trailing slash and clients add one,
 * and the case of scheme and host means nothing. Text that is no web URL stays as it is.
 *
 * Nothing else is normalised: an issuer that reads `/a/../mcp` otherwise than we do must not be able to
 * give out tokens for `/mcp` without knowing it.
 */
export function comparable(resource: string): string {
  const [, authority, rest] = /^(https?:\/\/[^/?#]*)(.*)$/is.exec(resource) ?? []
  if (authority === undefined || rest === undefined) return resource
  return authority.toLowerCase() + (rest.endsWith('/') ? rest.slice(0, -1) : rest)
}

export function identifiersOf({ resource, aliases = [] }: ResourceOptions): readonly string[] {
  return [resource, ...aliases]
}

/**
 * Where a resource's metadata stands.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.1
 */
export function metadataUrl(identifier: string): string {
  const { origin, pathname } = new URL(identifier)
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`
}

/** @param audience what an issuer writes instead of the resource's URL */
export function audiencesOf(
  resources: readonly ResourceOptions[],
  audience?: string | undefined,
): Audiences {
  if (audience !== undefined) {
    return new Map([[comparable(audience), resources.map(({ resource }) => resource)]])
  }
  return new Map(
    resources.flatMap((options) =>
      identifiersOf(options).map((identifier) => [comparable(identifier), [options.resource]]),
    ),
  )
}

/**
 * Requires resources that can be published, none of them twice.
 *
 * @throws {TypeError}
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-1.2
 */
export function checkResources(resources: readonly ResourceOptions[]): void {
  if (resources.length === 0) throw new TypeError('At least one protected resource must be named')
  const seen = new Set<string>()
  for (const identifier of resources.flatMap(identifiersOf)) {
    if (!isPublishable(identifier)) {
      throw new TypeError(
        `The resource "${identifier}" must be an http(s) URL in its normal spelling, without query or fragment`,
      )
    }
    const form = comparable(identifier)
    if (seen.has(form)) throw new TypeError(`The resource "${identifier}" is named twice`)
    seen.add(form)
  }
}

function isPublishable(identifier: string): boolean {
  // An empty query or fragment is one, too, and shows in the text alone.
  if (!URL.canParse(identifier) || /[?#@]/.test(identifier)) return false
  const { protocol, href } = new URL(identifier)
  return (
    (protocol === 'https:' || protocol === 'http:') &&
    (href === identifier || href === `${identifier}/`)
  )
}
