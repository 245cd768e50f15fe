/** What the authorization server seals: JSON with an expiry, and the keys of grants. */
import { decodeUtf8, encodeUtf8 } from '../../platform/utf8.ts'
import { type Sealer, type SealPurpose, sealJson as seal } from '../../ports/sealer.ts'
import type { PageServer } from './authorization-server.ts'

/** A seal is bound to the issuer, which opens only its own. */
export type SealingServer = Pick<PageServer, 'sealer' | 'issuer'>

export function sealJson(
  { sealer, issuer }: SealingServer,
  purpose: SealPurpose,
  value: { readonly expiresAt: number },
  deterministic = false,
): Promise<string> {
  return seal(sealer, purpose, value, issuer, { deterministic })
}

/** Undefined when the text is absent, is no seal of this server for this purpose and issuer, or has expired. */
export async function openJson<T extends { readonly expiresAt: number }>(
  { sealer, issuer }: SealingServer,
  purpose: SealPurpose,
  sealed: string | undefined,
): Promise<T | undefined> {
  const plaintext = sealed === undefined ? undefined : await sealer.open(purpose, sealed, issuer)
  if (plaintext === undefined) return undefined
  const value = JSON.parse(decodeUtf8(plaintext)) as T
  return value.expiresAt > Date.now() ? value : undefined
}

/**
 * Whether a seal is older than the revocation of everyone.
 *
 * @param ttlMs the lifetime of the seal, from which its age follows
 */
export async function isRevokedSeal(
  { signingKeys }: PageServer,
  { expiresAt }: { readonly expiresAt: number },
  ttlMs: number,
): Promise<boolean> {
  const { validFrom } = await signingKeys.revocations()
  return expiresAt - ttlMs < validFrom
}

/** Seals the key of a grant for its access tokens. */
export function sealGrantKey(sealer: Sealer, id: string, key: string): Promise<string> {
  return sealer.seal('grant-key/1', encodeUtf8(key), id)
}

/** Undefined when the seal is not of this grant, or cannot be opened any more. */
export async function openGrantKey(
  sealer: Sealer,
  id: string,
  sealed: string,
): Promise<string | undefined> {
  const key = await sealer.open('grant-key/1', sealed, id)
  return key && decodeUtf8(key)
}
