/** Protected resources: the configured URLs of the endpoint, for which tokens are issued. */

export interface ResourceOptions {
  /** The URL that people enter, such as `https://mcp.example.com/mcp`. Published exactly as written. */
  readonly resource: string
  /** Other URLs of the same resource, such as those of a former domain. Tokens for them are accepted. */
  readonly aliases?: readonly string[]
  readonly name?: string | undefined
  /** URL of a page for developers. */
  readonly documentation?: string | undefined
}

/** Accepted values of `aud` in comparable form, each with the URLs of its resources. */
export type Audiences = ReadonlyMap<string, readonly string[]>

export const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/**
 * Normalizes a resource URL for comparison: without a trailing slash, which people and clients add, and
 * with scheme and host in lower case. Text that is not a web URL is returned unchanged.
 *
 * Nothing else is normalized: an issuer that does not resolve `/a/../mcp` must not issue a token that is
 * accepted for `/mcp`.
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
 * The URL of a resource's metadata.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.1
 */
export function metadataUrl(identifier: string): string {
  const { origin, pathname } = new URL(identifier)
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`
}

/** @param audience the `aud` of an issuer's tokens, if it is not the URL of the resource */
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
 * Checks configured resources.
 *
 * @throws {TypeError} for an empty list, a URL that cannot be published, and a URL that occurs twice
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-1.2
 */
export function checkResources(resources: readonly ResourceOptions[]): void {
  if (resources.length === 0) throw new TypeError('At least one protected resource must be named')
  const known = new Set<string>()
  for (const identifier of resources.flatMap(identifiersOf)) {
    if (!isPublishable(identifier)) {
      throw new TypeError(
        `The resource "${identifier}" must be an http(s) URL in canonical form, without query or fragment`,
      )
    }
    const form = comparable(identifier)
    if (known.has(form)) throw new TypeError(`The resource "${identifier}" occurs twice`)
    known.add(form)
  }
}

function isPublishable(identifier: string): boolean {
  // An empty query or fragment is visible only in the text.
  if (!URL.canParse(identifier) || /[?#@]/.test(identifier)) return false
  const { protocol, href } = new URL(identifier)
  return (
    (protocol === 'https:' || protocol === 'http:') &&
    (href === identifier || href === `${identifier}/`)
  )
}
