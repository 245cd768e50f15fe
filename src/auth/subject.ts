/** Subjects: the stable names of people, to which grants and the author's data belong. */

const MAX_LENGTH = 255

/** The subject of a client that acts on its own behalf is this prefix and its id. */
export const CLIENT_SUBJECT_PREFIX = 'client:'

/** @throws {TypeError} when the value, which the author's code has returned, is no valid subject */
export function checkSubject(subject: unknown): string {
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_LENGTH) {
    throw new TypeError(`A subject must be a string of 1 to ${MAX_LENGTH} characters`)
  }
  if (!subject.isWellFormed()) throw new TypeError('A subject must be well-formed Unicode')
  // Otherwise a person could be a client.
  if (subject.startsWith(CLIENT_SUBJECT_PREFIX)) {
    throw new TypeError(`The subject of a person must not begin with "${CLIENT_SUBJECT_PREFIX}"`)
  }
  return subject
}

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
