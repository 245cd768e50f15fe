/**
 * Compact JSON Web Signatures. Configuration decides about algorithm and key: `token-verifier.ts` has checked both
 * before a signature is verified.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7515#section-3.1
 */

import {
  decodeBase64Url,
  decodeBase64UrlText,
  encodeBase64Url,
  encodeBase64UrlText,
} from '../../platform/base64.ts'
import { tryParseJson } from '../../platform/try-parse.ts'
import { encodeUtf8 } from '../../platform/utf8.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { type SignatureAlgorithm, signatureParams } from './algorithms.ts'

export interface Jws {
  readonly header: JsonObject
  /** The text that the signature covers. */
  readonly signed: string
  readonly signature: Uint8Array
}

/**
 * Parses everything but the payload, which {@link payloadOf} reads. Undefined for anything else than three parts in
 * canonical base64url with a JSON object as header: the signature covers the text of header and payload but not
 * its own, whose last character has bits that lenient decoders ignore.
 */
export function parseJws(text: string): Jws | undefined {
  const [header = '', payload = '', encoded = '', ...others] = text.split('.')
  const parsed = parseObject(header)
  const signature = decodeBase64Url(encoded)
  if (parsed === undefined || signature === undefined) return undefined
  if (signature.length === 0 || others.length > 0) return undefined
  return { header: parsed, signed: `${header}.${payload}`, signature }
}

/** The claims, verified or not; undefined when the payload is no JSON object. */
export function payloadOf({ signed }: Pick<Jws, 'signed'>): JsonObject | undefined {
  return parseObject(signed.slice(signed.indexOf('.') + 1))
}

/** @param key of this algorithm; see `isKeyFor` */
export async function hasValidSignature(
  { signed, signature }: Jws,
  key: CryptoKey,
  algorithm: SignatureAlgorithm,
): Promise<boolean> {
  try {
    const text = encodeUtf8(signed)
    return await crypto.subtle.verify(signatureParams(algorithm), key, signature, text)
  } catch {
    // A signature of a length that the algorithm does not have.
    return false
  }
}

/** @param key the private key of a pair of the algorithm `alg` */
export async function signJws(
  header: JsonObject & { readonly alg: SignatureAlgorithm },
  payload: JsonObject,
  key: CryptoKey,
): Promise<string> {
  const [head, body] = [header, payload].map((part) => encodeBase64UrlText(JSON.stringify(part)))
  const text = `${head}.${body}`
  const signature = await crypto.subtle.sign(signatureParams(header.alg), key, encodeUtf8(text))
  return `${text}.${encodeBase64Url(new Uint8Array(signature))}`
}

function parseObject(encoded: string): JsonObject | undefined {
  const text = decodeBase64UrlText(encoded)
  const value = text === undefined ? undefined : tryParseJson(text)
  return isJsonObject(value) ? value : undefined
}
