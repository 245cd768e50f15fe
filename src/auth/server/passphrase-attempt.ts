/** One try at a passphrase, throttled by address and over the whole deployment. */
import type { Person } from '../login/login.ts'
import type { AuthorizationServer } from './authorization-server.ts'

type Attempt = { readonly person: Person } | { readonly problem: string; readonly status: number }

export async function tryPassphrase(
  { login, accounts, env, loopback }: AuthorizationServer,
  request: Request,
  passphrase: string | undefined,
): Promise<Attempt> {
  if (login.kind !== 'passphrase') throw new TypeError('Nobody signs in with a passphrase here')
  const state = login.state(env, loopback)
  if (state === 'open') return { person: login.owner }
  if (state === 'unset') return { problem: 'No passphrase is set on this server', status: 503 }
  if (passphrase === undefined) return { problem: 'Type the passphrase', status: 400 }
  // Set by the platform; behind one address there may be many people, so it is one key of two.
  const address = request.headers.get('cf-connecting-ip') ?? 'local'
  const { allowed, retryAfterSeconds } = await accounts.throttle.attempt(`passphrase ${address}`)
  if (!allowed) {
    const minutes = Math.ceil(retryAfterSeconds / 60)
    const problem = `Too many tries: wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
    return { problem, status: 429 }
  }
  const person = await login.verify(passphrase, env)
  if (person === undefined) return { problem: 'That is not the passphrase', status: 401 }
  await accounts.throttle.succeed(`passphrase ${address}`)
  return { person }
}
