/**
 * What the platform says of the error of a call of a Durable Object.
 *
 * @see https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */

/** Whether the object was reset, so that the next call reaches the new one. */
export function isRetryable(error: unknown): boolean {
  const { retryable, overloaded } = Object(error)
  return retryable === true && overloaded !== true
}

/** Whether the object did not answer in time, or may answer the next call. */
export function isTemporary(error: unknown): boolean {
  const { name, retryable, overloaded } = Object(error)
  return name === 'TimeoutError' || retryable === true || overloaded === true
}

/** The platform carries the message of an error from an object, and not its class. */
const NOT_IN_THIS_VERSION = 'not in this version of the Worker: '

/** The error of an object of a version that lacks what is called: a deployment is under way, or was taken back. */
export function notInThisVersion(what: string): Error {
  return new Error(`${NOT_IN_THIS_VERSION}${what}`)
}

export function isNotInThisVersion(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(NOT_IN_THIS_VERSION)
}
