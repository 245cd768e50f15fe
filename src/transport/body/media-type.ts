/** Whether a body says that it is JSON. */
import { Refusal } from '../refusals.ts'

/**
 * Checks `Content-Type` and `Content-Encoding`.
 *
 * @returns whether the type was named at all; a missing one is a client's fault that harms nobody,
 *   because the Origin check does not depend on it
 * @throws {Refusal} for another type, another charset, or a compressed body
 */
export function checkMediaType(headers: Headers): boolean {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw new Refusal('content-encoded', 'The body must be sent without a Content-Encoding')
  }
  const contentType = headers.get('content-type')
  if (contentType === null) return false
  if (contentType === 'application/json') return true
  const [type = '', ...parameters] = contentType.split(';')
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new Refusal('content-type-not-json', 'Content-Type must be application/json')
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    const charset = value.trim().replace(/^"|"$/g, '').toLowerCase()
    if (name.trim().toLowerCase() === 'charset' && charset !== 'utf-8' && charset !== 'utf8') {
      throw new Refusal('content-type-not-json', 'The charset of the body must be UTF-8')
    }
  }
  return true
}
