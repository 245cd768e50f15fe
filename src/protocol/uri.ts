/** How the spellings of one URI are told to be one. */

/**
 * The URI as `URL` writes it, or as given where `URL` cannot read it. Reading a resource does not tell
 * the spellings of one URI apart, so neither does subscribing to it or hearing of it.
 */
export function normaliseUri(uri: string): string {
  return URL.parse(uri)?.href ?? uri
}
