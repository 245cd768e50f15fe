/** Whether a seal of the authorization server is older than the revocation of everyone. */
import type { AuthorizationServer } from './authorization-server.ts'

/** @param ttlMs the lifetime of the seal, from which its age follows */
export async function isRevokedSeal(
  { signingKeys }: AuthorizationServer,
  { expiresAt }: { readonly expiresAt: number },
  ttlMs: number,
): Promise<boolean> {
  const { validFrom } = await signingKeys.revocations()
  return expiresAt - ttlMs < validFrom
}
