/**
 * Discovers the key set of an issuer from its metadata.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3
 */
import { serverLocations } from '../../client/metadata-locations.ts'
import type { JsonObject } from '../../protocol/json.ts'

/**
 * Returns the URL of the issuer's key set.
 *
 * @param read fetches a document
 * @throws {AggregateError} if no document names it
 */
export async function discoverJwksUri(
  issuer: string,
  read: (url: string) => Promise<JsonObject>,
): Promise<string> {
  const failures: unknown[] = []
  for (const { href } of serverLocations(new URL(issuer))) {
    try {
      return jwksUriOf(await read(href), issuer)
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `The metadata of ${issuer} does not name a key set`)
}

function jwksUriOf({ issuer: named, jwks_uri: uri }: JsonObject, issuer: string): string {
  // With the metadata of another issuer, that issuer could sign tokens of this one (§3.3).
  if (named !== issuer) throw new Error('The metadata belongs to another issuer')
  if (typeof uri !== 'string' || !isKeyUrl(uri, issuer)) {
    throw new Error('jwks_uri must be an https URL')
  }
  return uri
}

/** Whether keys may be fetched from a URL: https, or http on the issuer's own origin, for a local issuer. */
export function isKeyUrl(uri: string, issuer: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, origin } = new URL(uri)
  return protocol === 'https:' || (protocol === 'http:' && origin === new URL(issuer).origin)
}
