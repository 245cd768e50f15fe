/**
 * Signing in with a passphrase: nobody else is needed to start. Where none is set, a loopback host
 * lets its owner in by the press of a button, and any other host lets nobody in.
 */
import type { PassphraseLogin, Person } from './login.ts'
import { readSecret, type Secret } from './secret.ts'
import { checkSubject } from './subject.ts'

export interface PassphraseOptions {
  /**
   * Subjects and their passphrases, or the name of the environment secret that holds one. Default: the
   * secret `EDGEWAY_PASSPHRASE`, of the subject `owner`.
   */
  readonly people?: Readonly<Record<string, Secret>>
}

const DEFAULT_PEOPLE = { owner: { secret: 'EDGEWAY_PASSPHRASE' } }
const MAX_LENGTH = 1024

/**
 * @throws {TypeError} for nobody, for two people with one passphrase, and for one that is empty or too
 *   long to be typed
 */
export function passphrase({ people = DEFAULT_PEOPLE }: PassphraseOptions = {}): PassphraseLogin {
  const entries = Object.entries(people)
  checkPeople(entries)
  const [[owner] = ['']] = entries
  return {
    kind: 'passphrase',
    owner: personOf(owner),
    state(env, loopback) {
      if (entries.some(([, secret]) => readSecret(secret, env) !== undefined)) return 'ready'
      return loopback ? 'open' : 'unset'
    },
    async verify(typed, env) {
      if (typed.length > MAX_LENGTH) return undefined
      const sent = await digest(typed)
      const found: string[] = []
      // All of them, so that the time says nothing of whose it was.
      for (const [subject, secret] of entries) {
        const own = readSecret(secret, env)
        const matches = crypto.subtle.timingSafeEqual(sent, await digest(own ?? ''))
        if (matches && own !== undefined) found.push(subject)
      }
      // Secrets are known only now.
      if (found.length > 1) throw new TypeError(SAME_PASSPHRASE)
      const [subject] = found
      return subject === undefined ? undefined : personOf(subject)
    },
  }
}

const SAME_PASSPHRASE = 'Two people must not have the same passphrase'

function checkPeople(entries: readonly (readonly [string, Secret])[]): void {
  if (entries.length === 0) throw new TypeError('passphrase() needs somebody who can sign in')
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

/** Keyboards write the same letters in different ways. */
function normalise(text: string): string {
  return text.normalize('NFC')
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(normalise(text)))
}
