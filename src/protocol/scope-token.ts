/** Scope tokens. @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */

const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

export function isScopeToken(value: unknown): value is string {
  return typeof value === 'string' && SCOPE_TOKEN.test(value)
}
