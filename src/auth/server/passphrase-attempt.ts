/** One try at a passphrase, throttled by the network that it comes from: a throttle for all would let anybody lock everybody out. */
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
  // Looked at first, so that only a wrong one is ever counted; told only where the throttle allows.
  const person = await login.verify(passphrase, env)
  const key = `passphrase ${networkOf(request)}`
  const { allowed, retryAfterSeconds } = await accounts.throttle.guess(key, person !== undefined)
  if (!allowed) {
    const minutes = Math.ceil(retryAfterSeconds / 60)
    const problem = `Too many tries: wait ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
    return { problem, status: 429 }
  }
  return person === undefined ? { problem: 'That is not the passphrase', status: 401 } : { person }
}

/**
 * Where a request comes from, as the platform says: an IPv4 address, or the /64 that one subscriber of
 * IPv6 has to choose from.
 */
function networkOf({ headers }: Request): string {
  const address = headers.get('cf-connecting-ip')
  if (address === null) return 'local'
  // The platform sets it, so anything else is somebody's own header on somebody's own machine.
  const hostname = URL.parse(`http://[${address}]/`)?.hostname
  if (hostname === undefined) return address
  // `URL` writes out what `::` leaves out of sight, in one spelling.
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
