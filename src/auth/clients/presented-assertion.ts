/** Reads the client assertion of a form, without verifying it. */
import { decodeJwt } from 'jose'
import { invalidRequest } from '../oauth-error.ts'
import { type PresentedAssertion, unreadable } from './presented-credentials.ts'

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Characters. */
const MAX_ASSERTION_LENGTH = 8192

/** The unverified subject selects the client whose keys verify the signature. */
export function readAssertion(form: ReadonlyMap<string, string>): PresentedAssertion | undefined {
  const text = form.get('client_assertion')
  const type = form.get('client_assertion_type')
  if (text === undefined && type === undefined) return undefined
  if (text === undefined || type === undefined) {
    throw invalidRequest('client_assertion and client_assertion_type must be sent together')
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
