/** A request that cannot be served before a person has been somewhere else. */

export interface RequiredElicitation {
  /** Names it for `ctx.notify.elicitationComplete`; 1 to 256 visible ASCII characters, unique. */
  readonly elicitationId: string
  /** Why, for a person to read. */
  readonly message: string
  /** Where the person goes; an `https:` address. */
  readonly url: string
}

/**
 * Thrown by a handler that cannot go on, and must be called anew, when somebody has gone to an
 * address first. Each revision is told in its own way: error -32042 in 2025-11-25, a question from
 * 2026-07-28 on, and the address in words everywhere else.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export class UrlElicitationRequiredError extends Error {
  override readonly name = 'UrlElicitationRequiredError'
  readonly elicitations: readonly RequiredElicitation[]

  /** @throws {TypeError} without elicitations, or for an address that nobody should be sent to */
  constructor(
    elicitations: readonly RequiredElicitation[],
    message = 'This request needs something to be done elsewhere first.',
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

/** @throws {TypeError} */
export function checkElicitationId(id: unknown): asserts id is string {
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,256}$/.test(id)) {
    throw new TypeError('An elicitationId is 1 to 256 visible ASCII characters')
  }
}

/**
 * The address as `URL` spells it.
 *
 * @throws {TypeError} for one that is not `https:`, or `http:` on this machine
 */
export function checkElicitationUrl(url: string): string {
  const { protocol, hostname, href } = new URL(url)
  if (protocol !== 'https:' && !(protocol === 'http:' && hostname === 'localhost')) {
    throw new TypeError('People are sent to https: addresses only')
  }
  return href
}
