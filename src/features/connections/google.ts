/** `google()`: accounts at Google. The login of this name verifies an id token, which a connection has no use for. */
import type { RedirectSite } from '../../auth/login/login.ts'
import { type OAuthOptions, oauth } from './oauth.ts'

export type GoogleConnectionOptions = Pick<OAuthOptions, 'clientId' | 'clientSecret' | 'scopes'>

/**
 * Accounts at Google for `connections()`, whose tokens are renewed without the person. Create the client at
 * https://console.cloud.google.com/apis/credentials with the redirect URI `<origin>/connect/callback/<name>`.
 *
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export function google({ scopes = [], ...client }: GoogleConnectionOptions): RedirectSite {
  return oauth({
    ...client,
    name: 'Google',
    issuer: 'https://accounts.google.com',
    origins: ['https://*.googleapis.com'],
    // The names under which Google lists them as granted.
    scopes: ['openid', 'https://www.googleapis.com/auth/userinfo.email', ...scopes],
    // Google returns a refresh token only then, and after its consent page.
    parameters: { access_type: 'offline', prompt: 'consent' },
  })
}
