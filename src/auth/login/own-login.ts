/** A sign-in of an author's own. */
import type { RedirectLogin } from './login.ts'
import { checkSubject } from './subject.ts'

export type OwnLoginOptions = Omit<RedirectLogin, 'kind'>

/**
 * For what no preset covers. The state and its browser are checked before `finish` is called; what else
 * the answer says is for `finish` to verify, by the nonce or the PKCE verifier at the least.
 *
 * @throws {TypeError} where a part is missing
 */
export function ownLogin({ name, begin, finish, refresh }: OwnLoginOptions): RedirectLogin {
  if (name === '' || typeof begin !== 'function' || typeof finish !== 'function') {
    throw new TypeError('ownLogin() needs a name, begin and finish')
  }
  return {
    kind: 'redirect',
    name,
    begin,
    async finish(answer, request, env) {
      const person = await finish(answer, request, env)
      return { ...person, subject: checkSubject(person.subject) }
    },
    ...(refresh === undefined ? undefined : { refresh }),
  }
}
