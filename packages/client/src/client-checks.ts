/**
 * What an OAuth client compares before it sends a code, a verifier or a token. `edgeway admin`, `edgeway
 * doctor` and the inspector use it: without these comparisons, a hostile server names another server in its
 * metadata and obtains a token for it, or names its own token endpoint and obtains the code of another server.
 *
 * Each function returns the difference as a sentence without final period, or undefined without one. The sentences contain text of
 * the server.
 */

type Metadata = Readonly<Record<string, unknown>>

/**
 * Compares the resource of protected resource metadata with the URL that the client requests.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.3
 */
export function resourceDifference({ resource }: Metadata, requested: URL): string | undefined {
  const isSame = typeof resource === 'string' && URL.parse(resource)?.href === requested.href
  if (isSame) return undefined
  return `The protected resource metadata is of ${shown(resource)}, and the URL is ${shown(requested.href)}`
}

/**
 * Compares the issuer of authorization server metadata with the one that the resource names.
 *
 * @param issuer as the resource spells it
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3
 */
export function issuerDifference({ issuer }: Metadata, named: string): string | undefined {
  if (issuer === named) return undefined
  return `The authorization server is ${shown(named)}, and its metadata is of the issuer ${shown(issuer)}`
}

/**
 * Whether the authorization endpoint can belong to another server: it has another origin than the issuer,
 * and the authorization response does not say whose it is.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-1
 */
export function endpointDifference(metadata: Metadata): string | undefined {
  const { authorization_endpoint: endpoint, issuer } = metadata
  if (originOf(endpoint) === originOf(issuer) || namesIssuer(metadata)) return undefined
  return `The authorization endpoint ${shown(endpoint)} has another origin than the issuer ${shown(issuer)}, and the server does not return iss`
}

export interface ExpectedResponse {
  /** The state of the authorization request. */
  readonly state: string
  /** That of the authorization server metadata, which `issuerDifference` has compared. */
  readonly issuer: string
  /** Whether the metadata has `authorization_response_iss_parameter_supported`. */
  readonly namesIssuer: boolean
}

/**
 * Compares an authorization response with its request.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2.4
 */
export function responseDifference(
  response: URLSearchParams,
  { state, issuer, namesIssuer: isNamed }: ExpectedResponse,
): string | undefined {
  // RFC 6749 §3.1: two values would let another program read a different one than this function.
  const repeated = ['code', 'state', 'iss'].find((name) => response.getAll(name).length > 1)
  if (repeated !== undefined) return `The authorization response has ${repeated} more than once`
  if (response.get('state') !== state) {
    return 'The authorization response has another state than the request'
  }
  const iss = response.get('iss')
  if (iss === null) {
    return isNamed ? 'The authorization response has no iss, which the server announces' : undefined
  }
  if (iss === issuer) return undefined
  return `The authorization response is of the issuer ${shown(iss)}, and the request was sent to ${shown(issuer)}`
}

export function namesIssuer(metadata: Metadata): boolean {
  return metadata.authorization_response_iss_parameter_supported === true
}

function originOf(value: unknown): string | undefined {
  return typeof value === 'string' ? URL.parse(value)?.origin : undefined
}

const MAX_SHOWN_CHARACTERS = 300

function shown(value: unknown): string {
  if (typeof value !== 'string') return value === undefined ? 'nothing' : 'no text'
  return `"${value.slice(0, MAX_SHOWN_CHARACTERS)}"`
}
