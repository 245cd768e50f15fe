/** The error of a handler that needs a person to open a URL first. */
import { isLoopbackName } from '../protocol/loopback-name.ts'

export interface RequiredElicitation {
  /** The id for `ctx.notify.elicitationComplete`: 1 to 256 visible ASCII characters, unique. */
  readonly elicitationId: string
  /** The reason, shown to the person. */
  readonly message: string
  /** The `https:` URL to open. */
  readonly url: string
}

/**
 * Thrown by a handler that must be called again after a person has opened a URL. The client receives
 * error -32042 in revision 2025-11-25, an input request from 2026-07-28 on, and a text with the URL in
 * older revisions.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export class UrlElicitationRequiredError extends Error {
  override readonly name = 'UrlElicitationRequiredError'
  readonly elicitations: readonly RequiredElicitation[]

  /** @throws {TypeError} if there is no elicitation, or an id or URL is malformed */
  constructor(
    elicitations: readonly RequiredElicitation[],
    message = 'Open the URL to continue, then send this request again.',
  ) {
    super(message)
    if (elicitations.length === 0) throw new TypeError('Name at least one elicitation')
    for (const { elicitationId, url } of elicitations) {
      checkElicitationId(elicitationId)
      checkElicitationUrl(url)
    }
    this.elicitations = elicitations
  }
}

/** @throws {TypeError} unless the id is 1 to 256 visible ASCII characters */
export function checkElicitationId(id: unknown): asserts id is string {
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,256}$/.test(id)) {
    throw new TypeError('An elicitationId is 1 to 256 visible ASCII characters')
  }
}

/**
 * Returns the URL as `URL` serialises it.
 *
 * @throws {TypeError} unless the URL is `https:`, or `http:` on a loopback host
 */
export function checkElicitationUrl(url: string): string {
  if (!URL.canParse(url)) throw new TypeError('The URL of an elicitation must be a whole URL')
  const { protocol, hostname, href } = new URL(url)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackName(hostname))) {
    throw new TypeError('The URL of an elicitation must use https:')
  }
  return href
}
