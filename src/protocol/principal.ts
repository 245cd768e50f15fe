/** The name of a principal in storage and in seals: a digest, so that neither reveals who it is. */
import { sha256Base64Url } from '../platform/digest.ts'
import type { AuthInfo } from './auth-info.ts'

/** Whom a token is for, and where. */
export type Principal = Pick<AuthInfo, 'issuer' | 'subject' | 'resource'>

export function principalDigest({ issuer, subject, resource }: Principal): Promise<string> {
  return sha256Base64Url(JSON.stringify([issuer, subject, resource]))
}
