/** Sealed JSON with an expiry. */
import type { Sealer, SealPurpose } from '../../ports/sealer.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function sealJson(
  sealer: Sealer,
  purpose: SealPurpose,
  value: { readonly expiresAt: number },
  issuer: string,
  deterministic = false,
): Promise<string> {
  return sealer.seal(purpose, encoder.encode(JSON.stringify(value)), issuer, { deterministic })
}

/** Undefined when the text is no seal of this server for this purpose and issuer, or has expired. */
export async function openJson<T extends { readonly expiresAt: number }>(
  sealer: Sealer,
  purpose: SealPurpose,
  sealed: string,
  issuer: string,
): Promise<T | undefined> {
  const plaintext = await sealer.open(purpose, sealed, issuer)
  if (plaintext === undefined) return undefined
  const value = JSON.parse(decoder.decode(plaintext)) as T
  return value.expiresAt > Date.now() ? value : undefined
}
