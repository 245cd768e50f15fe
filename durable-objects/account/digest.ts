/** How secrets and names are known without being kept: SHA-256 in base64url. */
import { sha256Base64Url } from '../../src/platform/digest.ts'

/** JSON keeps lone surrogates apart, which UTF-8 would make one. */
export function digestOfText(text: string): Promise<string> {
  return sha256Base64Url(JSON.stringify(text))
}
