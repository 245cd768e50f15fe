/**
 * Sign-in through Cloudflare Access, with the identity providers configured there.
 *
 * @see https://developers.cloudflare.com/cloudflare-one/applications/configure-apps/saas-apps/generic-oidc-saas/
 */
import { isJsonObject } from '../../protocol/json.ts'
import type { RedirectLogin } from './login.ts'
import { createOidcLogin, type OidcOptions } from './oidc.ts'
import { type LoginPlatform, PLATFORM } from './upstream-fetch.ts'

export interface CloudflareAccessOptions
  extends Pick<OidcOptions, 'clientSecret' | 'scopes' | 'admit' | 'name'> {
  /** `example.cloudflareaccess.com`, or `example`. */
  readonly teamDomain: string
  /** The client id of the Access application (SaaS, OIDC). It is part of the issuer. */
  readonly clientId: string
}

/**
 * Signs people in with Cloudflare Access. Subjects are `access:<sub>`. The policies of the Access
 * application decide who may sign in. Its redirect URL is `<origin>/authorize/callback`.
 *
 * @throws {TypeError} when the team domain or the client id is malformed
 */
export function cloudflareAccess(options: CloudflareAccessOptions): RedirectLogin {
  return createCloudflareAccessLogin(options, PLATFORM)
}

/** @throws {TypeError} when the team domain or the client id is malformed */
export function createCloudflareAccessLogin(
  { teamDomain, name = 'Cloudflare Access', ...options }: CloudflareAccessOptions,
  platform: LoginPlatform,
): RedirectLogin {
  const host = teamDomain.includes('.') ? teamDomain : `${teamDomain}.cloudflareaccess.com`
  if (!/^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(host)) {
    throw new TypeError(`The team domain "${teamDomain}" must be a host name, without https://`)
  }
  const { clientId } = options
  if (!/^[\w-]+$/.test(clientId)) throw new TypeError(`The client id "${clientId}" is malformed`)
  return createOidcLogin(
    {
      ...options,
      issuer: `https://${host}/cdn-cgi/access/sso/oidc/${clientId}`,
      name,
      subject: ({ sub }) => `access:${sub}`,
      // Access has checked the address, by which its own policies decide, and sends no `email_verified`.
      attributes: ({ email, groups }) => ({ emails: email, groups: groupNames(groups) }),
    },
    platform,
  )
}

/** Depending on the identity provider, a group is its name, or an object with id and name. */
function groupNames(groups: unknown): readonly unknown[] {
  if (!Array.isArray(groups)) return [groups]
  return groups.flatMap((group) => (isJsonObject(group) ? [group.id, group.name] : [group]))
}
