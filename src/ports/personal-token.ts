/** Personal access tokens, as an account stores them. */
import type { GrantProps } from '../protocol/auth-info.ts'

/** A personal access token: a long-lived token that a person creates for a program that sends it in a header. */
export interface NewPersonalToken<Props = GrantProps> {
  /** 32 random bytes in base64url. Only the token contains it. Encrypts the props; its digest is the id. */
  readonly key: string
  /** Unique among the tokens of the account. */
  readonly name: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly expiresAt: number
  readonly props: Props | undefined
  /** Whether `renewProps` of the account may replace the props. Default false. */
  readonly renewable?: boolean | undefined
}

/** The client id of a personal access token: it names the token, because no client holds it. */
export function personalTokenClient(tokenId: string): string {
  return `personal-access-token:${tokenId}`
}
