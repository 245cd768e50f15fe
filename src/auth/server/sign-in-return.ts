/** Where a browser goes after the sign-in page: to the account page, or to the inspector that sent it there. */
import { ENDPOINT } from './authorization-server.ts'

export type SignInReturn = 'account' | 'inspector'

const PARAMETER = 'return'

const PATHS: Readonly<Record<SignInReturn, string>> = {
  account: ENDPOINT.account,
  inspector: '/inspect',
}

const PURPOSES: Readonly<Record<SignInReturn, string>> = {
  account: 'Sign in to see your connected apps and to disconnect them.',
  inspector: 'Sign in as an owner to see the traffic of this server.',
}

/** The sign-in page, from which the browser returns to the inspector. */
export const SIGN_IN_FOR_INSPECTOR = withReturn(ENDPOINT.account, 'inspector')

/** Any other value of the parameter means the account page, so no link can name another destination. */
export function readReturn({ url }: Request): SignInReturn {
  return new URL(url).searchParams.get(PARAMETER) === 'inspector' ? 'inspector' : 'account'
}

/** A path of the sign-in with the destination that follows it. */
export function withReturn(path: string, to: SignInReturn): string {
  return to === 'account' ? path : `${path}?${PARAMETER}=${to}`
}

/** What the sign-in page says it is for. */
export function purposeOf(to: SignInReturn): string {
  return PURPOSES[to]
}

export function pathOfReturn(to: SignInReturn = 'account'): string {
  return PATHS[to]
}
