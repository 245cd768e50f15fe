/** The sealed content of personal access tokens. A forged or altered one wakes no object. */

import { decodeBase64Url } from '../../platform/base64.ts'
import { sha256Base64Url } from '../../platform/digest.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { openJson, sealJson } from '../server/sealed-json.ts'
import { formatPersonalToken, sealOf } from './token-text.ts'

export interface PersonalToken {
  readonly subject: string
  /** 32 random bytes in base64url. */
  readonly key: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

const PURPOSE = 'personal-token/1'

export async function sealPersonalToken(
  sealer: Sealer,
  issuer: string,
  token: PersonalToken,
): Promise<string> {
  return formatPersonalToken(await sealJson(sealer, PURPOSE, token, issuer))
}

/** Undefined when the text is no token of this server, or an expired one. */
export async function openPersonalToken(
  sealer: Sealer,
  issuer: string,
  text: string,
): Promise<PersonalToken | undefined> {
  const sealed = sealOf(text)
  return sealed === undefined ? undefined : openJson<PersonalToken>(sealer, PURPOSE, sealed, issuer)
}

/** The id under which the account stores the token: the digest of its key. */
export async function personalTokenId({ key }: Pick<PersonalToken, 'key'>): Promise<string> {
  return sha256Base64Url(decodeBase64Url(key) ?? new Uint8Array())
}
