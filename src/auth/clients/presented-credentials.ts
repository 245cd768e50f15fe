/**
 * How a client says who it is, as it says it: from the header and the form, nothing checked but that
 * there is one way and no more.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3
 */
import { decodeJwt } from 'jose'
import { decodeBase64Text } from '../../platform/base64.ts'
import { OAuthError } from '../oauth-error.ts'

export type PresentedCredentials =
  | { readonly method: 'none'; readonly clientId: string }
  | { readonly method: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly method: 'assertion'; readonly clientId: string; readonly assertion: string }

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Larger ones hold more than an assertion needs. */
const MAX_ASSERTION_LENGTH = 8192
const MAX_HEADER_LENGTH = 8192

/**
 * @param form its parameters, each once, those without a value left out
 * @throws {OAuthError} `invalid_request` for two ways at once, or none; `invalid_client` for one that
 *   cannot be read
 */
export function readCredentials(
  headers: Headers,
  form: ReadonlyMap<string, string>,
): PresentedCredentials {
  const header = headers.get('authorization')
  const basic = header === null ? undefined : readBasic(header)
  const secret = form.get('client_secret')
  const assertion = readAssertion(form)
  const ways = [basic?.secret, secret, assertion].filter((way) => way !== undefined)
  if (ways.length > 1) {
    throw new OAuthError('invalid_request', 'A client authenticates in one way at a time')
  }
  const named = form.get('client_id')
  const clientId = assertion?.subject ?? basic?.clientId ?? named
  if (clientId === undefined) throw new OAuthError('invalid_request', 'client_id is required')
  if (named !== undefined && named !== clientId) {
    throw new OAuthError(
      'invalid_request',
      'client_id is not that of the client that authenticates',
    )
  }
  if (basic !== undefined && basic.clientId !== clientId) {
    throw new OAuthError('invalid_request', 'A client authenticates in one way at a time')
  }
  if (assertion !== undefined) return { method: 'assertion', clientId, assertion: assertion.text }
  const shared = basic?.secret ?? secret
  return shared === undefined
    ? { method: 'none', clientId }
    : { method: 'secret', clientId, secret: shared }
}

/** An empty secret is none (RFC 6749 §2.3.1): some libraries name a public client in this way. */
function readBasic(header: string): { clientId: string; secret: string | undefined } {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1]
  const text =
    encoded === undefined || header.length > MAX_HEADER_LENGTH
      ? undefined
      : decodeBase64Text(encoded)
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 1) throw unreadable('The Authorization header is not Basic')
  const clientId = decodeFormValue(text.slice(0, colon))
  const secret = decodeFormValue(text.slice(colon + 1))
  if (clientId === undefined || secret === undefined) {
    throw unreadable('The Authorization header is not form-encoded')
  }
  return { clientId, secret: secret === '' ? undefined : secret }
}

/** Both parts are encoded as in a form before they are joined (RFC 6749 §2.3.1). */
function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // A percent sign that begins nothing.
    return undefined
  }
}

/** The subject is only a claim until the signature is checked: it says whose keys to check it with. */
function readAssertion(
  form: ReadonlyMap<string, string>,
): { text: string; subject: string } | undefined {
  const text = form.get('client_assertion')
  const type = form.get('client_assertion_type')
  if (text === undefined && type === undefined) return undefined
  if (text === undefined || type === undefined) {
    throw new OAuthError(
      'invalid_request',
      'client_assertion and client_assertion_type go together',
    )
  }
  if (type !== ASSERTION_TYPE) throw unreadable('This client_assertion_type is not supported')
  const subject = text.length > MAX_ASSERTION_LENGTH ? undefined : subjectOf(text)
  if (subject === undefined) throw unreadable('The client assertion cannot be read')
  return { text, subject }
}

function subjectOf(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt(assertion)
    return typeof sub === 'string' && sub !== '' ? sub : undefined
  } catch {
    // Not a JSON Web Token.
    return undefined
  }
}

function unreadable(description: string): OAuthError {
  return new OAuthError('invalid_client', description)
}
