/** Sign-in implemented by the author. */

import { checkSubject } from '../subject.ts'
import { LOGIN_PARTS, type RedirectLogin } from './login.ts'
import { redirectParts } from './redirect-parts.ts'

/** A {@link RedirectLogin} without its `kind`. */
export type OwnLoginOptions = Omit<RedirectLogin, 'kind' | typeof LOGIN_PARTS>

/**
 * Signs people in at a site that no preset covers. State and browser are checked before `finish` is
 * called. `finish` must verify the rest of the response, at least by nonce or PKCE verifier.
 *
 * @throws {TypeError} when `name`, `begin` or `finish` is missing; from a sign-in, when the subject is
 *   no string of 1 to 255 characters
 */
export function ownLogin(options: OwnLoginOptions): RedirectLogin {
  const { begin, finish, ...others } = options
  const { name } = options
  if (name === '' || typeof begin !== 'function' || typeof finish !== 'function') {
    throw new TypeError('ownLogin() needs a name, begin and finish')
  }
  return {
    kind: 'redirect',
    [LOGIN_PARTS]: redirectParts,
    ...others,
    begin,
    async finish(answer, request, env) {
      const person = await finish(answer, request, env)
      return { ...person, subject: checkSubject(person.subject) }
    },
  }
}
