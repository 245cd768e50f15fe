/**
 * Protected resources: the configured URLs of the endpoint, for which tokens are issued, and families of
 * URLs such as `https://mcp.example.com/mcp/{org}`. Each URL of a family is a resource of its own.
 */

export interface ResourceOptions {
  /** The URL that people enter, such as `https://mcp.example.com/mcp`. Published exactly as written. */
  readonly resource: string
  /** Other URLs of the same resource, such as those of a former domain. Tokens for them are accepted. */
  readonly aliases?: readonly string[]
  readonly name?: string | undefined
  /**
   * The scope of a resource that administers the server. Its tokens have this scope alone, and no token of
   * another resource has it. It is never the resource of a client that names none.
   */
  readonly ownScope?: string
  /** URL of a page for developers. */
  readonly documentation?: string | undefined
}

export interface ResourceFamily {
  /** The form of the URLs, which identifies the family: `https://mcp.example.com/mcp/{org}`. */
  readonly template: string
  readonly origin: string
  readonly matches: (pathname: string) => boolean
  readonly name?: string | undefined
}

/** Everything that tokens are issued for. */
export interface Resources {
  readonly single: readonly ResourceOptions[]
  readonly families: readonly ResourceFamily[]
}

/** A resource that a URL has named. */
export interface NamedResource extends ResourceOptions {
  /** The template of its family, if it has one. */
  readonly family?: string
}

/** Accepted values of `aud` in comparable form, each with the URLs of its resources. */
export interface Audiences {
  get(audience: string): readonly string[] | undefined
}

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

/**
 * Returns the URL of a resource that the request used. If it used none of them, as at the message path
 * of the older transport, returns `named`.
 */
export function requestedUrlOf({ url }: Request, resource: ResourceOptions, named: string): string {
  const { origin, pathname } = new URL(url)
  const requested = comparable(origin + pathname)
  return identifiersOf(resource).find((known) => comparable(known) === requested) ?? named
}

/**
 * The audiences of resources. A token for a configured `audience` is for all of them, and for every member
 * of the families, which it then names by their templates.
 *
 * @param audience the `aud` of an issuer's tokens, if it is not the URL of the resource
 */
export function audiencesOf(resources: Resources, audience?: string | undefined): Audiences {
  if (audience !== undefined) {
    const all = [
      ...resources.single.map(({ resource }) => resource),
      ...resources.families.map(({ template }) => template),
    ]
    return new Map([[comparable(audience), all]])
  }
  const find = createComparableLookup(resources)
  return {
    get: (named) => {
      const found = find(named)
      return found && [found.resource]
    },
  }
}

/** Creates a lookup of resources by URL. A trailing slash and the case of scheme and host are ignored. */
export function createResourceLookup(
  resources: Resources,
): (named: string) => NamedResource | undefined {
  const find = createComparableLookup(resources)
  return (named) => find(comparable(named))
}

function createComparableLookup({
  single,
  families,
}: Resources): (wanted: string) => NamedResource | undefined {
  const known = new Map(
    single.flatMap((options) =>
      identifiersOf(options).map((identifier) => [comparable(identifier), options]),
    ),
  )
  return (wanted) => known.get(wanted) ?? memberOf(families, wanted)
}

function memberOf(
  families: readonly ResourceFamily[],
  resource: string,
): NamedResource | undefined {
  if (families.length === 0 || !isPublishable(resource)) return undefined
  const { origin, pathname } = new URL(resource)
  const family = families.find((one) => one.origin === origin && one.matches(pathname))
  return family && { resource, family: family.template, name: family.name }
}

/**
 * Checks configured resources.
 *
 * @throws {TypeError} for an empty list, a URL that cannot be published, and a URL that occurs twice
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-1.2
 */
export function checkResources({ single: resources, families }: Resources): void {
  if (resources.length + families.length === 0)
    throw new TypeError('At least one protected resource must be named')
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
  if (!URL.canParse(identifier) || /[?#]/.test(identifier)) return false
  const { protocol, href, username, password } = new URL(identifier)
  return (
    (protocol === 'https:' || protocol === 'http:') &&
    username + password === '' &&
    (href === identifier || href === `${identifier}/`)
  )
}
