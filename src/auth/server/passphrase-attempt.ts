/** Verifies a submitted passphrase. Wrong ones are throttled by network, so that no network can lock out another. */
import { namesForeignClient } from '../forwarded-client.ts'
import type { PassphraseLogin, Person } from '../login/login.ts'
import type { AuthorizationServer } from './authorization-server.ts'

type Attempt = { readonly person: Person } | { readonly problem: string; readonly status: number }

/** The state of the login for this request. It is open only to a client on this computer. */
export function passphraseState(
  { env, loopback }: AuthorizationServer,
  login: PassphraseLogin,
  request: Request,
): ReturnType<PassphraseLogin['state']> {
  return login.state(env, loopback && !namesForeignClient(request))
}

export async function tryPassphrase(
  server: AuthorizationServer,
  request: Request,
  passphrase: string | undefined,
): Promise<Attempt> {
  const { login, accounts, env } = server
  if (login.kind !== 'passphrase') throw new TypeError('The login is no passphrase login')
  const state = passphraseState(server, login, request)
  if (state === 'open') return { person: login.owner }
  if (state === 'unset') return { problem: 'No passphrase is set on this server.', status: 503 }
  if (passphrase === undefined) return { problem: 'Please enter the passphrase.', status: 400 }
  // Verified before the throttle, which counts wrong passphrases only. Its result is used when the throttle allows.
  const person = await login.verify(passphrase, env)
  const key = `passphrase ${networkOf(request)}`
  const { allowed, retryAfterSeconds } = await accounts.throttle.guess(key, person !== undefined)
  if (!allowed) {
    const minutes = Math.ceil(retryAfterSeconds / 60)
    const problem = `Too many attempts. Please wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
    return { problem, status: 429 }
  }
  return person === undefined ? { problem: 'The passphrase is wrong.', status: 401 } : { person }
}

/** The network of a request: its IPv4 address, or its IPv6 /64, which one subscriber controls entirely. */
function networkOf({ headers }: Request): string {
  const address = headers.get('cf-connecting-ip')
  if (address === null) return 'local'
  // The platform sets the header on Cloudflare. Elsewhere it may be any text.
  const hostname = URL.parse(`http://[${address}]/`)?.hostname
  if (hostname === undefined) return address
  // `URL` normalises the spelling and keeps one `::`, which is expanded here.
  const [head = '', tail = ''] = hostname.slice(1, -1).split('::')
  const [before, after] = [head.split(':'), tail.split(':')]
  const groups = hostname.includes('::')
    ? [...before, ...Array(8 - before.length - after.length).fill('0'), ...after]
    : before
  return groups
    .slice(0, 4)
    .map((group) => (group === '' ? '0' : group))
    .join(':')
}
