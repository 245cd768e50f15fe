/** Keys of the objects. Their kinds and their server are in the names: `object-kinds.ts`. */
import { sha256Base64Url } from '../../../../src/platform/digest.ts'
import type { LogName } from './port.ts'

export function logKey({ type, subject }: LogName): Promise<string> {
  return sha256Base64Url(JSON.stringify([type, subject ?? null]))
}
