/** Sign-in with Google. */
import type { ClaimedAttributes, IdClaims } from './claimed-attributes.ts'
import type { RedirectLogin } from './login.ts'
import { notAllowed } from './login-error.ts'
import { createOidcLogin, type OidcOptions } from './oidc.ts'
import { type LoginPlatform, PLATFORM } from './upstream-fetch.ts'

export interface GoogleOptions
  extends Pick<OidcOptions, 'clientId' | 'clientSecret' | 'scopes' | 'admit' | 'prompt'> {
  /** Only accounts of this Workspace domain may sign in, such as `example.com`. Default: all accounts. */
  readonly hostedDomain?: string
  /** Whether to request a refresh token, for handlers that call Google APIs. Default false. */
  readonly offline?: boolean
}

/**
 * Signs people in with Google. Subjects are `google:<sub>`. Create the client at
 * https://console.cloud.google.com/apis/credentials with the redirect URI `<origin>/authorize/callback`.
 * Props are `{ upstream: UpstreamTokens, claims }`.
 */
export function google(options: GoogleOptions): RedirectLogin {
  return createGoogleLogin(options, PLATFORM)
}

export function createGoogleLogin(
  { hostedDomain, offline = false, admit = () => true, ...options }: GoogleOptions,
  platform: LoginPlatform,
): RedirectLogin {
  return createOidcLogin(
    {
      // Google returns a refresh token only after its consent page.
      ...(offline ? { prompt: 'consent' } : undefined),
      ...options,
      issuer: 'https://accounts.google.com',
      name: 'Google',
      origins: ['https://*.googleapis.com'],
      subject: ({ sub }) => `google:${sub}`,
      attributes,
      // Google documents neither prompt=login nor max_age.
      signInAgain: (maxAgeSeconds): { prompt?: string } =>
        maxAgeSeconds === 0 ? { prompt: 'select_account' } : {},
      parameters: {
        ...(offline ? { access_type: 'offline' } : undefined),
        ...(hostedDomain === undefined ? undefined : { hd: hostedDomain }),
      },
      admit: (claims) => {
        // The parameter `hd` only preselects accounts. The signed claim is authoritative.
        if (hostedDomain !== undefined && claims.hd !== hostedDomain) {
          throw notAllowed(`Only accounts of ${hostedDomain} may sign in here.`)
        }
        return admit(claims)
      },
    },
    platform,
  )
}

/**
 * Google vouches for the addresses that it hosts. Any other address of an account was verified once, and
 * may have passed to another person since, or from a company that its owner has left.
 *
 * @see https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload
 */
function attributes({ email, email_verified, hd }: IdClaims): ClaimedAttributes {
  const isHosted =
    typeof hd === 'string' || (typeof email === 'string' && /@gmail\.com$/i.test(email))
  return {
    emails: isHosted && email_verified === true ? email : [],
    organizations: typeof hd === 'string' ? [{ name: hd }] : [],
  }
}
