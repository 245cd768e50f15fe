/** Normalises URIs, so that equivalent URIs are equal. */

/**
 * Returns the URI as `URL` serialises it, or unchanged if `URL` cannot parse it. Reading a resource
 * accepts equivalent URIs, so subscriptions and changes compare normalised URIs too.
 */
export function normaliseUri(uri: string): string {
  return URL.parse(uri)?.href ?? uri
}
