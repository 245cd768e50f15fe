/** Checks `Content-Type` and `Content-Encoding` of a POST. */
import type { Exchange } from '../exchange.ts'
import { allowLeniency } from '../leniency.ts'
import { Refusal } from '../refusal.ts'

/**
 * A missing `Content-Type` is a leniency: the check against cross-site requests is the origin check,
 * not the media type. Where cookies are or may be credentials, both are required.
 *
 * @throws {Refusal} for a compressed body, another type or another charset
 */
export function checkMediaType(exchange: Exchange): void {
  const { headers } = exchange.request
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw new Refusal('content-encoding-not-supported', 'Send the body without Content-Encoding')
  }
  const contentType = headers.get('content-type')
  if (contentType === null) {
    if (exchange.endpoint.requiresContentType) {
      throw new Refusal('content-type-not-json', 'Content-Type must be application/json')
    }
    allowLeniency(exchange, 'content-type-missing')
  }
  if (contentType === null || contentType === 'application/json') return
  const [type = '', ...parameters] = contentType.split(';')
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new Refusal('content-type-not-json', 'Content-Type must be application/json')
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    const charset = value.trim().replace(/^"|"$/g, '').toLowerCase()
    if (name.trim().toLowerCase() === 'charset' && charset !== 'utf-8' && charset !== 'utf8') {
      throw new Refusal('content-type-not-json', 'The charset of Content-Type must be UTF-8')
    }
  }
}
