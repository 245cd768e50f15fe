/** A service at which people have accounts, over the login that signs them in there. */

import type { ApiKeyLogin, Person, RedirectSite } from '../../auth/login/login.ts'
import { LoginError } from '../../auth/login/login-error.ts'
import { tokensIn } from '../../auth/login/upstream-tokens.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { readOrigins, type TokenOrigins } from './token-origins.ts'

/** A value for `connections()`: `oauth({ … })`, `apiKey({ … })`, `github({ … })`, `google({ … })` and other logins with origins. */
export type Connection = RedirectSite | ApiKeyLogin

type Props = { readonly [key: string]: unknown }

export type Renewed =
  | { readonly kind: 'renewed'; readonly props: Props }
  | { readonly kind: 'ended' }
  | { readonly kind: 'unavailable'; readonly error: unknown }

export interface Service {
  /** The name of the connection in the app. */
  readonly name: string
  /** The name of the service on pages and in messages. */
  readonly title: string
  readonly login: Connection
  /** Where its tokens may be sent. */
  readonly origins: TokenOrigins
  /** The scopes that every use needs. */
  readonly scopes: readonly string[]
  /** Undefined for props without a token. */
  tokenIn(
    props: Props,
  ): { readonly accessToken: string; readonly expiresAt: number | undefined } | undefined
  renew(props: Props, account: string, env: unknown): Promise<Renewed>
  /** Whether a token is still one of the account. */
  isAccount(props: Props, account: string, env: unknown): Promise<boolean>
  revoke(props: Props, env: unknown): Promise<void>
}

/** @throws {TypeError} for a value that is no login, and for one without origins */
export function createService(name: string, login: Connection): Service {
  const subject = `connections({ ${name} })`
  if (login?.kind !== 'redirect' && login?.kind !== 'api-key') {
    throw new TypeError(`${subject} must be the value of oauth({ … }), apiKey({ … }) or a login`)
  }
  const title = login.kind === 'redirect' ? login.name : login.label
  const origins = readOrigins(subject, login.origins)
  return {
    ...{ name, title, login, origins },
    scopes: login.kind === 'redirect' ? (login.scopes ?? []) : [],
    ...(login.kind === 'redirect' ? redirectTokens(login) : keyTokens(login)),
  }
}

type TokenWork = Pick<Service, 'tokenIn' | 'renew' | 'isAccount' | 'revoke'>

function redirectTokens(login: RedirectSite): TokenWork {
  return {
    tokenIn: (props) => {
      const tokens = tokensIn(props)
      return tokens && { accessToken: tokens.accessToken, expiresAt: tokens.expiresAt }
    },
    renew: (props, _, env) =>
      outcomeOf(async () => {
        const upstream = isJsonObject(props.upstream) ? props.upstream : {}
        // A login renews what is about to end. This token is renewed in any case.
        const ending = { ...props, upstream: { ...upstream, expiresAt: 0 } }
        if (upstream.refreshToken !== undefined) return login.refresh?.(ending, env)
        // Without another token, the service says whether this one has ended: an API may refuse it for other reasons.
        if (isPast(upstream.expiresAt)) return undefined
        await login.identify?.(props, env)
        return props
      }),
    isAccount: async (props, account, env) => {
      try {
        const named = await login.identify?.(props, env)
        return named === undefined || named.subject === account
      } catch (error) {
        // A service that cannot say now whose token it is has given it for the account that it knew.
        return !hasEnded(error)
      }
    },
    revoke: async (props, env) => login.revoke?.(props, env),
  }
}

/** A key has no renewal: it is verified again, and is another's if its owner has changed. */
function keyTokens(login: ApiKeyLogin): TokenWork {
  return {
    tokenIn: ({ apiKey }) =>
      typeof apiKey === 'string' ? { accessToken: apiKey, expiresAt: undefined } : undefined,
    renew: (props, account, env) => outcomeOf(() => login.refresh(props, env, account)),
    isAccount: async () => true,
    revoke: async () => undefined,
  }
}

async function outcomeOf(renew: () => Promise<Person['props']>): Promise<Renewed> {
  try {
    const props = await renew()
    return props === undefined ? { kind: 'ended' } : { kind: 'renewed', props }
  } catch (error) {
    return hasEnded(error) ? { kind: 'ended' } : { kind: 'unavailable', error }
  }
}

const hasEnded = (error: unknown) => error instanceof LoginError && error.reason !== 'unavailable'

const isPast = (time: unknown) => typeof time === 'number' && time <= Date.now()
