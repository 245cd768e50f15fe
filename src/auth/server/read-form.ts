/** Reads a form body: bounded in size, of the one accepted media type, without repeated parameters. */

import { readBoundedText } from '../../platform/bounded-body.ts'
import type { Observe } from '../../ports/request-observer.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'

const FORM = 'application/x-www-form-urlencoded'
const MAX_FORM_BYTES = 64 * 1024

/**
 * @throws {OAuthError} `invalid_request`
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export async function readForm(
  request: Request,
  observe?: Observe,
): Promise<ReadonlyMap<string, string>> {
  const text = await readBody(request, FORM, MAX_FORM_BYTES, invalidRequest)
  if (text === undefined) throw invalidRequest('The body is too large')
  const form = new URLSearchParams(text)
  observe?.({ type: 'form', form })
  return uniqueParams(form)
}

/** @throws {OAuthError} `invalid_request` when the parameter is missing */
export function required(params: ReadonlyMap<string, string>, name: string): string {
  const value = params.get(name)
  if (value === undefined) throw invalidRequest(`${name} is required`)
  return value
}

/** @throws {OAuthError} `invalid_request` when a parameter is repeated, `invalid_target` when it is `resource` */
export function uniqueParams(params: URLSearchParams): ReadonlyMap<string, string> {
  const seen = new Set<string>()
  const unique = new Map<string, string>()
  for (const [name, value] of params) {
    if (seen.has(name)) throw repeated(name)
    seen.add(name)
    // A parameter without a value counts as omitted (RFC 6749 §3.1).
    if (value !== '') unique.set(name, value)
  }
  return unique
}

/** RFC 8707 §2 allows several resources. Tokens of this server are for one. */
function repeated(name: string): OAuthError {
  return name === 'resource'
    ? new OAuthError('invalid_target', 'Only one resource can be requested')
    : invalidRequest('A parameter must not be included more than once')
}

/**
 * Undefined for a body above `maxBytes`.
 *
 * @param refuse creates the error of the endpoint
 * @throws {OAuthError} what `refuse` creates
 */
export async function readBody(
  { headers, body }: Request,
  mediaType: string,
  maxBytes: number,
  refuse: typeof invalidRequest,
): Promise<string | undefined> {
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== mediaType) throw refuse(`The body must be ${mediaType}`)
  return readBoundedText(body, maxBytes).catch((cause: unknown) => {
    throw refuse('The body cannot be read', { cause })
  })
}
