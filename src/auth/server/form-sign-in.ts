/** Signs a person in with what they have entered into a form of this server. */
import { tryApiKey } from './api-key-attempt.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { tryPassphrase } from './passphrase-attempt.ts'
import type { Attempt } from './refuse-sign-in.ts'

export function tryFormSignIn(
  server: AuthorizationServer,
  request: Request,
  form: ReadonlyMap<string, string>,
): Promise<Attempt> {
  const { login } = server
  return login.kind === 'api-key'
    ? tryApiKey(server, request, login, form.get('api_key'))
    : tryPassphrase(server, request, form.get('passphrase'))
}
