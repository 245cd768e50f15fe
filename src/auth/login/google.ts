/** Signing in with Google. */
import { LoginError, type RedirectLogin } from './login.ts'
import { createOidcLogin, type OidcOptions } from './oidc.ts'
import { type LoginPlatform, PLATFORM } from './platform.ts'

export interface GoogleOptions
  extends Pick<OidcOptions, 'clientId' | 'clientSecret' | 'scopes' | 'admit' | 'prompt'> {
  /** Lets in people of this Workspace domain alone: `example.com`. */
  readonly hostedDomain?: string
  /** Whether Google is asked for a refresh token, for handlers that call its APIs. Default false. */
  readonly offline?: boolean
}

/**
 * Subjects are `google:<sub>`. The client is made at https://console.cloud.google.com/apis/credentials,
 * with `<origin>/authorize/callback` as its redirect URI.
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
      // Google gives a refresh token only where it has asked for consent.
      ...(offline ? { prompt: 'consent' } : undefined),
      ...options,
      issuer: 'https://accounts.google.com',
      name: 'Google',
      subject: ({ sub }) => `google:${sub}`,
      parameters: {
        ...(offline ? { access_type: 'offline' } : undefined),
        ...(hostedDomain === undefined ? undefined : { hd: hostedDomain }),
      },
      admit: (claims) => {
        // The parameter only chooses what Google shows; the claim is what it states.
        if (hostedDomain !== undefined && claims.hd !== hostedDomain) {
          throw new LoginError(`Only accounts of ${hostedDomain} may sign in here`)
        }
        return admit(claims)
      },
    },
    platform,
  )
}
