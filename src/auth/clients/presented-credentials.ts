/**
 * Reads the credentials of a client from header and form, without verifying them. A request must use
 * one method only.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3
 */
import { decodeBase64Text } from '../../platform/base64.ts'
import { tryDecodeUri } from '../../platform/try-parse.ts'
import { invalidRequest, OAuthError } from '../oauth-error.ts'

export type PresentedCredentials =
  | { readonly method: 'none'; readonly clientId: string }
  | { readonly method: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly method: 'assertion'; readonly clientId: string; readonly assertion: string }

/** A client assertion, and the unverified subject that it names. */
export interface PresentedAssertion {
  readonly text: string
  readonly subject: string
}

/** Undefined for a form without an assertion. @throws {OAuthError} `invalid_request`, `invalid_client` */
export type ReadAssertion = (form: ReadonlyMap<string, string>) => PresentedAssertion | undefined

/** Characters. */
const MAX_HEADER_LENGTH = 8192

/**
 * @param form the parameters of the body, without empty ones
 * @param readAssertion default: an assertion is refused
 * @throws {OAuthError} `invalid_request` for several methods or none; `invalid_client` for malformed
 *   credentials
 */
export function readCredentials(
  headers: Headers,
  form: ReadonlyMap<string, string>,
  readAssertion: ReadAssertion = refuseAssertion,
): PresentedCredentials {
  const header = headers.get('authorization')
  const basic = header === null ? undefined : readBasic(header)
  const secret = form.get('client_secret')
  const assertion = readAssertion(form)
  const methods = [basic?.secret, secret, assertion].filter((method) => method !== undefined)
  if (methods.length > 1) throw invalidRequest('A client must authenticate with one method only')
  const named = form.get('client_id')
  const clientId = assertion?.subject ?? basic?.clientId ?? named
  if (clientId === undefined) throw invalidRequest('client_id is required')
  if (named !== undefined && named !== clientId) {
    throw invalidRequest('client_id does not match the client credentials')
  }
  if (basic !== undefined && basic.clientId !== clientId) {
    throw invalidRequest('A client must authenticate with one method only')
  }
  if (assertion !== undefined) return { method: 'assertion', clientId, assertion: assertion.text }
  const shared = basic?.secret ?? secret
  return shared === undefined
    ? { method: 'none', clientId }
    : { method: 'secret', clientId, secret: shared }
}

/** Whether a request names a client at all. */
export function presentsClient(headers: Headers, form: ReadonlyMap<string, string>): boolean {
  return headers.has('authorization') || form.has('client_id') || form.has('client_assertion')
}

/**
 * An empty secret counts as none (RFC 6749 §2.3.1): some libraries identify a public client in this way.
 * Missing padding is accepted. A client must send it (RFC 4648 §3.2), but `token68` of RFC 9110 does not require
 * it, most decoders ignore it, and the decoded text is the same.
 */
function readBasic(header: string): { clientId: string; secret: string | undefined } {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1]
  const text =
    encoded === undefined || header.length > MAX_HEADER_LENGTH
      ? undefined
      : decodeBase64Text(padded(encoded))
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 1) throw unreadable('The Authorization header is not Basic')
  const clientId = decodeFormValue(text.slice(0, colon))
  const secret = decodeFormValue(text.slice(colon + 1))
  if (clientId === undefined || secret === undefined) {
    throw unreadable('The Authorization header is not form-encoded')
  }
  return { clientId, secret: secret === '' ? undefined : secret }
}

function padded(encoded: string): string {
  if (encoded.endsWith('=')) return encoded
  return encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=')
}

/** Both parts are encoded as in a form before they are joined (RFC 6749 §2.3.1). */
const decodeFormValue = (text: string) => tryDecodeUri(text.replaceAll('+', ' '))

/** Not ignored: the client would count as one without credentials. */
function refuseAssertion(form: ReadonlyMap<string, string>): undefined {
  if (!form.has('client_assertion') && !form.has('client_assertion_type')) return
  throw unreadable('Client assertions are not supported', {
    telemetryMessage: 'A client assertion needs embedded({ features: [privateKeyJwt()] })',
  })
}

export function unreadable(
  description: string,
  options?: { readonly telemetryMessage: string },
): OAuthError {
  return new OAuthError('invalid_client', description, options)
}
