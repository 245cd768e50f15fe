/** Reads a form body: bounded in size, of the one accepted media type, without repeated parameters. */
import { invalidRequest } from '../oauth-error.ts'
import { readBody } from '../read-body.ts'

const FORM = 'application/x-www-form-urlencoded'
const MAX_FORM_BYTES = 64 * 1024

/**
 * @throws {OAuthError} `invalid_request`
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export async function readForm(request: Request): Promise<ReadonlyMap<string, string>> {
  const text = await readBody(request, FORM, MAX_FORM_BYTES, invalidRequest)
  if (text === undefined) throw invalidRequest('The body is too large')
  return uniqueParams(new URLSearchParams(text))
}

/** @throws {OAuthError} `invalid_request` when the parameter is missing */
export function required(params: ReadonlyMap<string, string>, name: string): string {
  const value = params.get(name)
  if (value === undefined) throw invalidRequest(`${name} is required`)
  return value
}

/** @throws {OAuthError} `invalid_request` when a parameter is repeated */
export function uniqueParams(params: URLSearchParams): ReadonlyMap<string, string> {
  const seen = new Set<string>()
  const unique = new Map<string, string>()
  for (const [name, value] of params) {
    if (seen.has(name)) {
      throw invalidRequest('A parameter must not be included more than once')
    }
    seen.add(name)
    // A parameter without a value counts as omitted (RFC 6749 §3.1).
    if (value !== '') unique.set(name, value)
  }
  return unique
}
