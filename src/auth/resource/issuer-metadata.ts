/**
 * Where an issuer keeps its keys, in its own words.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3
 */
import type { JsonObject } from '../../protocol/json.ts'

const OAUTH = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'

/** In the order in which MCP clients look, too. A path is put behind the well-known part, or before it. */
export function metadataUrlsOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const urls = [
    `${origin}${OAUTH}${path}`,
    `${origin}${OPENID}${path}`,
    `${origin}${path}${OPENID}`,
  ]
  return [...new Set(urls)]
}

/**
 * @param read a document, by its address
 * @throws {AggregateError} where none of its documents says it
 */
export async function discoverJwksUri(
  issuer: string,
  read: (url: string) => Promise<JsonObject>,
): Promise<string> {
  const failures: unknown[] = []
  for (const url of metadataUrlsOf(issuer)) {
    try {
      return jwksUriOf(await read(url), issuer)
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `The metadata of ${issuer} does not say where its keys are`)
}

function jwksUriOf({ issuer: named, jwks_uri: uri }: JsonObject, issuer: string): string {
  // A document that speaks for another issuer would let whoever wrote it sign in its name (§3.3).
  if (named !== issuer) throw new Error('The metadata is that of another issuer')
  if (typeof uri !== 'string' || !isKeyUrl(uri, issuer)) {
    throw new Error('jwks_uri must be an https URL')
  }
  return uri
}

/** Plain http only on the issuer's own origin: an issuer on somebody's own machine. */
export function isKeyUrl(uri: string, issuer: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, origin } = new URL(uri)
  return protocol === 'https:' || (protocol === 'http:' && origin === new URL(issuer).origin)
}
