/** The names of principals and people in storage and in seals: digests, so that neither reveals who they are. */
import { sha256Base64Url } from '../platform/digest.ts'
import type { AuthInfo } from './auth-info.ts'

/** Whom a token is for, and where. */
export type Principal = Pick<AuthInfo, 'issuer' | 'subject' | 'resource'>

export function principalDigest({ issuer, subject, resource }: Principal): Promise<string> {
  return sha256Base64Url(JSON.stringify([issuer, subject, resource]))
}

/** The name of a subject of an issuer at all resources, for what is counted by person. */
export function personDigest({ issuer, subject }: Omit<Principal, 'resource'>): Promise<string> {
  return sha256Base64Url(JSON.stringify([issuer, subject]))
}
