/** How secrets and names are known without being kept: SHA-256 in base64url. */
import { encodeBase64Url } from '../../src/protocol/base64.ts'

export async function digestOf(bytes: Uint8Array): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** JSON keeps lone surrogates apart, which UTF-8 would make one. */
export function digestOfText(text: string): Promise<string> {
  return digestOf(new TextEncoder().encode(JSON.stringify(text)))
}
