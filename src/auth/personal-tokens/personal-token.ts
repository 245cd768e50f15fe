/**
 * The text of a personal access token: a prefix that secret scanners find, a seal, and a checksum with
 * which they and this server recognise a text that only looks like one. A forged or altered one wakes no object.
 *
 * `ewp_<seal>_<checksum>`: the checksum is the FNV-1a hash of all before its underscore, as 8 hexadecimal
 * digits.
 */

import { decodeBase64Url } from '../../platform/base64.ts'
import { sha256Base64Url } from '../../platform/digest.ts'
import { fnv1a } from '../../platform/fnv.ts'
import type { NewPersonalToken } from '../../ports/personal-token.ts'
import { openJson, type SealingServer, sealJson } from '../server/sealed-json.ts'

/** The sealed content. */
export interface PersonalToken
  extends Pick<NewPersonalToken, 'key' | 'resource' | 'scopes' | 'expiresAt'> {
  readonly subject: string
}

const PURPOSE = 'personal-token/1'
const PREFIX = 'ewp_'
const CHECKSUM_LENGTH = 8

export async function sealPersonalToken(
  server: SealingServer,
  token: PersonalToken,
): Promise<string> {
  const text = `${PREFIX}${await sealJson(server, PURPOSE, token)}`
  return `${text}_${checksum(text)}`
}

/** Whether a text claims to be a personal access token. */
export function looksLikePersonalToken(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** Undefined when the text is no token of this server, or an expired one. */
export async function openPersonalToken(
  server: SealingServer,
  token: string,
): Promise<PersonalToken | undefined> {
  const end = token.length - CHECKSUM_LENGTH - 1
  const text = token.slice(0, Math.max(end, 0))
  const isIntact = looksLikePersonalToken(text) && token.slice(end) === `_${checksum(text)}`
  return isIntact ? openJson(server, PURPOSE, text.slice(PREFIX.length)) : undefined
}

/** The id under which the account stores the token: the digest of its key. */
export async function personalTokenId({ key }: Pick<PersonalToken, 'key'>): Promise<string> {
  return sha256Base64Url(decodeBase64Url(key) ?? new Uint8Array())
}

function checksum(text: string): string {
  return fnv1a(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}
