/**
 * Signing in with a passphrase: nobody else is needed to start. Where none is set, a loopback host
 * lets its owner in by the press of a button, and any other host lets nobody in.
 */
import type { PassphraseLogin, Person } from './login.ts'

export interface PassphraseOptions {
  /**
   * Subjects and their passphrases, or the name of the environment secret that holds one. Default: the
   * secret `EDGEWAY_PASSPHRASE`, of the subject `owner`.
   */
  readonly people?: Readonly<Record<string, string | { readonly secret: string }>>
}

const DEFAULT_PEOPLE = { owner: { secret: 'EDGEWAY_PASSPHRASE' } }
const MAX_LENGTH = 1024

/** @throws {TypeError} for nobody, for two people with one passphrase, and for an empty one */
export function passphrase({ people = DEFAULT_PEOPLE }: PassphraseOptions = {}): PassphraseLogin {
  const subjects = Object.keys(people)
  const [first] = subjects
  if (first === undefined) throw new TypeError('passphrase() needs somebody who can sign in')
  const given = Object.values(people).filter((value) => typeof value === 'string')
  if (given.includes('')) throw new TypeError('A passphrase must not be empty')
  if (new Set(given.map(normalise)).size < given.length) {
    throw new TypeError('Two people must not have the same passphrase')
  }
  const passphraseOf = (subject: string, env: unknown): string | undefined => {
    const value = people[subject]
    const text = typeof value === 'string' ? value : secretOf(env, value?.secret)
    return text === undefined || text === '' ? undefined : text
  }
  return {
    kind: 'passphrase',
    owner: personOf(first),
    state(env, loopback) {
      if (subjects.some((subject) => passphraseOf(subject, env) !== undefined)) return 'ready'
      return loopback ? 'open' : 'unset'
    },
    async verify(typed, env) {
      if (typed.length > MAX_LENGTH) return undefined
      const sent = await digest(typed)
      let found: string | undefined
      // All of them, so that the time says nothing of whose it was.
      for (const subject of subjects) {
        const own = passphraseOf(subject, env)
        const matches = crypto.subtle.timingSafeEqual(sent, await digest(own ?? ''))
        if (matches && own !== undefined) found = subject
      }
      return found === undefined ? undefined : personOf(found)
    },
  }
}

function personOf(subject: string): Person {
  return { subject, name: subject, props: undefined }
}

function secretOf(env: unknown, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : (env as Record<string, unknown>)?.[name]
  return typeof value === 'string' ? value : undefined
}

/** Keyboards write the same letters in different ways. */
function normalise(text: string): string {
  return text.normalize('NFC')
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(normalise(text)))
}
