/** Subjects: the stable names of people, to which grants belong. */

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
