/** Whose notes and grants something belongs to. */

const MAX_LENGTH = 255

/** @throws {TypeError} for what cannot be somebody: an author's mapping is wrong */
export function checkSubject(subject: unknown): string {
  if (typeof subject === 'string' && subject !== '' && subject.length <= MAX_LENGTH) return subject
  throw new TypeError(`A subject must be a text of 1 to ${MAX_LENGTH} characters`)
}
