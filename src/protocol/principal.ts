/** Principals and people in storage and in seals: digests, which do not reveal who they are, and the context of seals. */
import { sha256Base64Url } from '../platform/digest.ts'
import type { AuthInfo } from './auth-info.ts'
import { type FactoryParams, NO_PARAMS } from './factory-params.ts'

/** Whom a token is for, and where. */
export type Principal = Pick<AuthInfo, 'issuer' | 'subject' | 'resource'>

export function principalDigest({ issuer, subject, resource }: Principal): Promise<string> {
  return sha256Base64Url(JSON.stringify([issuer, subject, resource]))
}

/** Each once. */
export async function principalDigests(
  principals: readonly Principal[],
): Promise<readonly string[]> {
  return [...new Set(await Promise.all(principals.map(principalDigest)))]
}

/** The name of a subject of an issuer at all resources, for what is counted by person. */
export function personDigest({ issuer, subject }: Omit<Principal, 'resource'>): Promise<string> {
  return sha256Base64Url(JSON.stringify([issuer, subject]))
}

/**
 * Returns the context that binds a seal to a principal at this server: issuer, subject and resource. Not
 * to the token, which is refreshed, and not to the client id: a client that registers anew continues.
 *
 * @param params to which the seal is bound too, because what it seals does not contain them
 */
export function principalContext(
  audience: string,
  auth: AuthInfo | undefined,
  params: FactoryParams = NO_PARAMS,
): string {
  const principal = auth === undefined ? [] : [auth.issuer, auth.subject, auth.resource]
  const bound = params === NO_PARAMS ? [] : [Object.entries(params)]
  return JSON.stringify([audience, ...principal, ...bound])
}
