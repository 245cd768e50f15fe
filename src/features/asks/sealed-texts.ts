/** Seals of a few texts, which name an object: a forged one names none, so it is refused without a call of an object. */
import { decodeUtf8 } from '../../platform/utf8.ts'
import type { Sealer, SealPurpose } from '../../ports/sealer.ts'

/** Maximum length of a sealed text, in UTF-16 code units: ours are far shorter. */
const MAX_LENGTH = 1024

export const encodeTexts = (members: readonly string[]) =>
  new TextEncoder().encode(JSON.stringify(members))

export async function openTexts(
  sealer: Sealer,
  purpose: SealPurpose,
  audience: string,
  text: string,
): Promise<readonly string[] | undefined> {
  if (text.length > MAX_LENGTH) return undefined
  const bytes = await sealer.open(purpose, text, audience)
  return bytes && (JSON.parse(decodeUtf8(bytes)) as readonly string[])
}
