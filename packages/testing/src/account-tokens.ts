/** The codes and tokens of a service for tests. */
import { sha256Base64Url } from '../../../src/platform/digest.ts'

export interface AccountOfToken {
  readonly id: string
  readonly label: string
}

export interface TokenRules {
  /** How long an access token can be used. Default: one hour. */
  readonly expiresInSeconds?: number
  /** Whether each renewal returns another refresh token. Default: true. */
  readonly rotates?: boolean
  /** How long a refresh token can be used again after its first use. Default: 0. */
  readonly graceSeconds?: number
}

interface Code {
  readonly account: AccountOfToken
  readonly fields: Readonly<Record<string, string>>
}

interface Issued {
  readonly account: AccountOfToken
  readonly scope: string
  readonly isRefresh: boolean
  /** Epoch milliseconds. */
  endsAt: number
}

export class AccountTokens {
  readonly #rules: TokenRules
  readonly #codes = new Map<string, Code>()
  readonly #issued = new Map<string, Issued>()

  constructor(rules: TokenRules) {
    this.#rules = rules
  }

  code(account: AccountOfToken, fields: Readonly<Record<string, string>>): string {
    const code = `code-${crypto.randomUUID()}`
    this.#codes.set(code, { account, fields })
    return code
  }

  issue(account: AccountOfToken, scope: string) {
    const { expiresInSeconds = 3_600 } = this.#rules
    const add = (kind: 'access' | 'refresh', endsAt: number) => {
      const token = `${kind}-${account.id}-${crypto.randomUUID()}`
      this.#issued.set(token, { account, scope, isRefresh: kind === 'refresh', endsAt })
      return token
    }
    return {
      access_token: add('access', Date.now() + expiresInSeconds * 1_000),
      refresh_token: add('refresh', Number.POSITIVE_INFINITY),
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      ...(scope !== '' && { scope }),
    }
  }

  /** The answer of a token endpoint. */
  async exchange(form: Readonly<Record<string, string>>): Promise<Response> {
    const isRefresh = form.grant_type === 'refresh_token'
    const answer = isRefresh ? this.#renew(form.refresh_token ?? '') : await this.#redeem(form)
    return answer
      ? Response.json(answer)
      : Response.json({ error: 'invalid_grant' }, { status: 400 })
  }

  /** Undefined for a token that has ended. */
  accountOf(token: string): AccountOfToken | undefined {
    const issued = this.#valid(token)
    return issued?.isRefresh === false ? issued.account : undefined
  }

  revoke(token: string): void {
    const { account } = this.#issued.get(token) ?? {}
    if (account !== undefined) this.end(account.id)
  }

  end(account: string): void {
    for (const issued of this.#issued.values()) if (issued.account.id === account) issued.endsAt = 0
  }

  #valid(token: string): Issued | undefined {
    const issued = this.#issued.get(token)
    return issued !== undefined && issued.endsAt > Date.now() ? issued : undefined
  }

  #renew(token: string) {
    const { rotates = true, graceSeconds = 0 } = this.#rules
    const issued = this.#valid(token)
    if (issued?.isRefresh !== true) return undefined
    const { refresh_token, ...answer } = this.issue(issued.account, issued.scope)
    if (!rotates) return answer
    issued.endsAt = Math.min(issued.endsAt, Date.now() + graceSeconds * 1_000)
    return { ...answer, refresh_token }
  }

  /** A code is redeemed once, at its redirect URI, with the verifier of its challenge (RFC 7636 §4.6). */
  async #redeem({ code = '', code_verifier = '', redirect_uri }: Readonly<Record<string, string>>) {
    const known = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = await sha256Base64Url(code_verifier)
    const fits =
      known?.fields.code_challenge === challenge && known.fields.redirect_uri === redirect_uri
    return known !== undefined && fits
      ? this.issue(known.account, known.fields.scope ?? '')
      : undefined
  }
}
