/**
 * Sign-in with a passphrase. When none is set, a development server signs its owner in with a button, and
 * any other server offers no sign-in.
 */

import { isSameText } from '../../platform/same-text.ts'
import { checkSubject } from '../subject.ts'
import type { PassphraseLogin, Person } from './login.ts'
import { readSecret, type Secret } from './secret.ts'

export interface PassphraseOptions {
  /**
   * The passphrase of each subject, 12 to 1024 characters (in development 1 to 1024), or the name of the
   * environment secret that holds it. Default: subject `owner` with the secret `EDGEWAY_PASSPHRASE`.
   */
  readonly people?: Readonly<Record<string, Secret>>
}

const DEFAULT_PEOPLE = { owner: { secret: 'EDGEWAY_PASSPHRASE' } }
const MAX_LENGTH = 1024

/**
 * In characters; in development, any length is accepted. All networks together have about 40,000
 * wrong guesses a day (`server/secret-guess.ts`), which never exhausts a passphrase of this length that
 * is not in a word list.
 */
export const MIN_PASSPHRASE_LENGTH = 12

/**
 * Signs people in with a passphrase each.
 *
 * @throws {TypeError} when `people` is empty, a subject or passphrase has a wrong length, or two people
 *   share a passphrase
 */
export function passphrase({ people = DEFAULT_PEOPLE }: PassphraseOptions = {}): PassphraseLogin {
  const entries = Object.entries(people)
  checkPeople(entries)
  const [[owner] = ['']] = entries
  return {
    kind: 'passphrase',
    owner: personOf(owner),
    state(env, inDevelopment) {
      const secrets = entries.map(([, secret]) => readSecret(secret, env))
      const given = secrets.filter((secret) => secret !== undefined)
      if (given.length === 0) return inDevelopment ? 'open' : 'unset'
      const isShort = (text: string) => [...normalise(text)].length < MIN_PASSPHRASE_LENGTH
      return !inDevelopment && given.some(isShort) ? 'too-short' : 'ready'
    },
    async verify(entered, env) {
      if (entered.length > MAX_LENGTH) return undefined
      const text = normalise(entered)
      const found: string[] = []
      // Compares with all, so that the time does not disclose which one matches.
      for (const [subject, secret] of entries) {
        const own = readSecret(secret, env)
        const matches = await isSameText(text, normalise(own ?? ''))
        if (matches && own !== undefined) found.push(subject)
      }
      // Secrets of the environment are not known before.
      if (found.length > 1) throw new TypeError(SAME_PASSPHRASE)
      const [subject] = found
      return subject === undefined ? undefined : personOf(subject)
    },
  }
}

const SAME_PASSPHRASE = 'Two people must not have the same passphrase'

function checkPeople(entries: readonly (readonly [string, Secret])[]): void {
  if (entries.length === 0) throw new TypeError('passphrase() needs at least one person')
  for (const [subject] of entries) checkSubject(subject)
  const given = entries.map(([, secret]) => secret).filter((secret) => typeof secret === 'string')
  if (given.includes('')) throw new TypeError('A passphrase must not be empty')
  if (given.some(({ length }) => length > MAX_LENGTH)) {
    throw new TypeError(`A passphrase must not have more than ${MAX_LENGTH} characters`)
  }
  if (new Set(given.map(normalise)).size < given.length) throw new TypeError(SAME_PASSPHRASE)
}

function personOf(subject: string): Person {
  return { subject, name: subject, props: undefined }
}

/** Keyboards compose the same letters differently. */
function normalise(text: string): string {
  return text.normalize('NFC')
}
