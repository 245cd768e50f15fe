/**
 * Signing in through Cloudflare Access, with whatever a team signs in with there.
 *
 * @see https://developers.cloudflare.com/cloudflare-one/applications/configure-apps/saas-apps/generic-oidc-saas/
 */
import type { RedirectLogin } from './login.ts'
import { createOidcLogin, type OidcOptions } from './oidc.ts'
import { type LoginPlatform, PLATFORM } from './platform.ts'

export interface CloudflareAccessOptions
  extends Pick<OidcOptions, 'clientSecret' | 'scopes' | 'admit' | 'name'> {
  /** `example.cloudflareaccess.com`, or `example` for short. */
  readonly teamDomain: string
  /** The client id of the application in Access, of the kind SaaS with OIDC: part of its issuer. */
  readonly clientId: string
}

/** Subjects are `access:<sub>`. Who may sign in is decided by the application's policies in Access. */
export function cloudflareAccess(options: CloudflareAccessOptions): RedirectLogin {
  return createCloudflareAccessLogin(options, PLATFORM)
}

/** @throws {TypeError} for a team domain or a client id that is none */
export function createCloudflareAccessLogin(
  { teamDomain, name = 'Cloudflare Access', ...options }: CloudflareAccessOptions,
  platform: LoginPlatform,
): RedirectLogin {
  const host = teamDomain.includes('.') ? teamDomain : `${teamDomain}.cloudflareaccess.com`
  if (!/^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(host)) {
    throw new TypeError(`The team domain "${teamDomain}" must be a host name, without https://`)
  }
  const { clientId } = options
  if (!/^[\w-]+$/.test(clientId)) throw new TypeError(`The client id "${clientId}" is none`)
  return createOidcLogin(
    {
      ...options,
      issuer: `https://${host}/cdn-cgi/access/sso/oidc/${clientId}`,
      name,
      subject: ({ sub }) => `access:${sub}`,
    },
    platform,
  )
}
