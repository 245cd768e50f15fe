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
