/** The subjects of people whom another issuer names. */
import { checkSubject } from '../subject.ts'

/** Maps the claims of a verified token to a subject. Two different people must never get the same one. */
export type SubjectOf = (claims: { readonly [name: string]: unknown }) => string

/**
 * The subject of a person at one of several issuers: `<issuer>#<sub>`. An issuer has no fragment
 * (RFC 8414 §2), so the first `#` ends it, and the subjects of two issuers never coincide.
 */
export function subjectAt(issuer: string, sub: string): string {
  return `${issuer}#${sub}`
}

/** @throws {TypeError} for an issuer that makes {@link subjectAt} ambiguous */
export function checkIssuer(issuer: string): void {
  if (URL.canParse(issuer) && !/[?#]/.test(issuer)) return
  throw new TypeError(`The issuer "${issuer}" must be a URL without query and fragment`)
}

/**
 * Calls the author's function.
 *
 * @throws {TypeError} when it returns no valid subject, and what it throws
 */
export function mapSubject(subjectOf: SubjectOf, claims: Parameters<SubjectOf>[0]): string {
  return checkSubject(subjectOf(claims))
}
