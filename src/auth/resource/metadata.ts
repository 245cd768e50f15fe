/**
 * Serves protected resource metadata.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3
 */
import { preflight } from '../json-response.ts'
import {
  comparable,
  createResourceLookup,
  identifiersOf,
  metadataUrl,
  type NamedResource,
  type ResourceOptions,
  type Resources,
  WELL_KNOWN,
} from './resources.ts'

export interface MetadataOptions {
  /** The first single one is also published at the root, unless another resource has the path `/`. */
  readonly resources: Resources
  /** Issuers whose tokens are accepted. */
  readonly issuers: readonly string[]
  /** The scopes of a resource that clients request at first. */
  readonly scopesOf: (resource: ResourceOptions) => readonly string[]
  /** The algorithms of DPoP proofs; undefined on a server without DPoP. */
  readonly dpopAlgorithms: readonly string[] | undefined
}

const METHODS = 'GET, HEAD, OPTIONS'
const OPEN = { 'access-control-allow-origin': '*' } as const
const HEADERS = {
  ...OPEN,
  'content-type': 'application/json',
  // A client fetches it once per connection, and a changed configuration takes effect soon.
  'cache-control': 'public, max-age=300',
} as const

/**
 * Responds at the well-known URLs of these resources. Returns undefined for any other path.
 *
 * The document at the URL of an alias names the alias: a client compares it with the URL that it was
 * given (RFC 9728 §3.3). The request only selects among configured documents.
 */
export function createMetadata(
  options: MetadataOptions,
): (request: Request) => Response | undefined {
  const documents = documentsOf(options)
  const find = createResourceLookup(options.resources)
  return ({ url, method }) => {
    if (!url.includes(WELL_KNOWN) || !URL.canParse(url)) return undefined
    const { origin, pathname } = new URL(url)
    const body =
      documents.get(comparable(origin + pathname)) ??
      memberDocument(options, find, origin, withoutSlash(pathname)) ??
      documents.get(withoutSlash(pathname))
    return body === undefined ? undefined : respond(method, body)
  }
}

/** The document of a resource of a family. */
function memberDocument(
  options: MetadataOptions,
  find: (named: string) => NamedResource | undefined,
  requested: string,
  pathname: string,
): string | undefined {
  // A request to a host that is not configured gets the document of the first origin.
  const [first] = options.resources.families
  if (first === undefined || !pathname.startsWith(`${WELL_KNOWN}/`)) return undefined
  const path = pathname.slice(WELL_KNOWN.length)
  const resource = find(requested + path) ?? find(first.origin + path)
  if (resource?.family === undefined) return undefined
  return JSON.stringify(documentOf(resource.resource, resource, options))
}

/** Documents by URL, and by path for requests to a host that is not configured. */
function documentsOf(metadata: MetadataOptions): ReadonlyMap<string, string> {
  const { resources } = metadata
  const documents = new Map<string, string>()
  const addIfAbsent = (key: string, body: string) => {
    if (!documents.has(key)) documents.set(key, body)
  }
  const published = resources.single.flatMap((options) =>
    identifiersOf(options).map((identifier) => ({
      url: new URL(metadataUrl(identifier)),
      isForRoot: options.ownScope === undefined,
      body: JSON.stringify(documentOf(identifier, options, metadata)),
    })),
  )
  for (const { url, body } of published) addIfAbsent(comparable(url.href), body)
  for (const { url, body } of published) addIfAbsent(withoutSlash(url.pathname), body)
  // A client that names no path does not look for a resource that administers the server.
  const candidates = published.filter(({ isForRoot }) => isForRoot)
  for (const { url, body } of candidates) addIfAbsent(comparable(url.origin + WELL_KNOWN), body)
  for (const { body } of candidates) addIfAbsent(WELL_KNOWN, body)
  return documents
}

function documentOf(
  resource: string,
  options: ResourceOptions,
  { issuers, scopesOf, dpopAlgorithms }: MetadataOptions,
) {
  const { name, documentation } = options
  const scopes = scopesOf(options)
  return {
    resource,
    authorization_servers: issuers,
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(name !== undefined && { resource_name: name }),
    ...(documentation !== undefined && { resource_documentation: documentation }),
    ...(dpopAlgorithms && { dpop_signing_alg_values_supported: dpopAlgorithms }),
  }
}

function respond(method: string, body: string): Response {
  switch (method) {
    case 'GET':
      return new Response(body, { headers: HEADERS })
    case 'HEAD':
      return new Response(null, { headers: HEADERS })
    case 'OPTIONS':
      return preflight(METHODS)
    default:
      return new Response(JSON.stringify({ error: 'method_not_allowed' }), {
        status: 405,
        headers: { ...OPEN, 'content-type': 'application/json', allow: METHODS },
      })
  }
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
