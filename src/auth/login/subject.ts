/** Subjects: the stable names of people, to which grants belong. */

const MAX_LENGTH = 255

/** @throws {TypeError} when the value, which the author's code has returned, is no valid subject */
export function checkSubject(subject: unknown): string {
  if (typeof subject === 'string' && subject !== '' && subject.length <= MAX_LENGTH) return subject
  throw new TypeError(`A subject must be a string of 1 to ${MAX_LENGTH} characters`)
}
