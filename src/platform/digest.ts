/** SHA-256. */
import { encodeBase64Url } from './base64.ts'
import { encodeUtf8 } from './utf8.ts'

/** @param data bytes, or text as UTF-8 */
export async function sha256(data: string | Uint8Array): Promise<Uint8Array> {
  const bytes = typeof data === 'string' ? encodeUtf8(data) : data
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** 43 characters. */
export async function sha256Base64Url(data: string | Uint8Array): Promise<string> {
  return encodeBase64Url(await sha256(data))
}
