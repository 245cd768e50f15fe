/**
 * What a protected resource says of itself, where clients look for it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3
 */
import { DPOP_ALGORITHMS } from './dpop.ts'
import {
  comparable,
  identifiersOf,
  metadataUrl,
  type ResourceOptions,
  WELL_KNOWN,
} from './resources.ts'

export interface MetadataOptions {
  /** The first one answers at the root, too, unless another one lives there. */
  readonly resources: readonly ResourceOptions[]
  /** Issuers of tokens for them. */
  readonly issuers: readonly string[]
  /** What to ask for from the start. */
  readonly scopes: readonly string[]
}

const METHODS = 'GET, HEAD, OPTIONS'
const OPEN = { 'access-control-allow-origin': '*' } as const
const HEADERS = {
  ...OPEN,
  'content-type': 'application/json',
  // Long enough for one connection, short enough for a change of configuration.
  'cache-control': 'public, max-age=300',
} as const

/**
 * Answers at the well-known addresses of these resources; undefined for any other path.
 *
 * Under an alias the document names the alias: a client that was given an old URL compares the two, and
 * would turn away from the new one. The request only chooses among what is configured.
 */
export function createMetadata(
  options: MetadataOptions,
): (request: Request) => Response | undefined {
  const documents = documentsOf(options)
  return ({ url, method }) => {
    if (!url.includes(WELL_KNOWN) || !URL.canParse(url)) return undefined
    const { origin, pathname } = new URL(url)
    const body =
      documents.get(comparable(origin + pathname)) ?? documents.get(withoutSlash(pathname))
    return body === undefined ? undefined : respond(method, body)
  }
}

/** By address, and by path alone for a server that is reached under a name it was not told. */
function documentsOf({ resources, issuers, scopes }: MetadataOptions): ReadonlyMap<string, string> {
  const documents = new Map<string, string>()
  const offer = (key: string, body: string) => {
    if (!documents.has(key)) documents.set(key, body)
  }
  const published = resources.flatMap((options) =>
    identifiersOf(options).map((identifier) => ({
      url: new URL(metadataUrl(identifier)),
      body: JSON.stringify(documentOf(identifier, options, issuers, scopes)),
    })),
  )
  for (const { url, body } of published) offer(comparable(url.href), body)
  for (const { url, body } of published) offer(withoutSlash(url.pathname), body)
  for (const { url, body } of published) offer(comparable(url.origin + WELL_KNOWN), body)
  for (const { body } of published) offer(WELL_KNOWN, body)
  return documents
}

function documentOf(
  resource: string,
  { name, documentation }: ResourceOptions,
  issuers: readonly string[],
  scopes: readonly string[],
) {
  return {
    resource,
    authorization_servers: issuers,
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(name !== undefined && { resource_name: name }),
    ...(documentation !== undefined && { resource_documentation: documentation }),
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
  }
}

function respond(method: string, body: string): Response {
  switch (method) {
    case 'GET':
      return new Response(body, { headers: HEADERS })
    case 'HEAD':
      return new Response(null, { headers: HEADERS })
    case 'OPTIONS':
      return new Response(null, {
        status: 204,
        headers: {
          ...OPEN,
          'access-control-allow-methods': METHODS,
          // The wildcard alone does not cover Authorization, which some clients send everywhere.
          'access-control-allow-headers': '*, authorization',
          'access-control-max-age': '7200',
        },
      })
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
