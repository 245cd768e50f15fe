/** A client that keeps every secret that a grant has issued: an honest client and a thief in one. */
import { expect } from 'vitest'
import type { Account } from '../../../src/ports/accounts.ts'
import type { IssuedGrant, Refused } from '../../../src/ports/grant-tokens.ts'
import type { Answer, Call, Fault } from './grant-model.ts'
import { GRANT, issued, redemptionOf, refreshOf } from './grant-requests.ts'

export const FAULTS: Record<Fault, object> = {
  none: {},
  client: { clientId: 'client-2' },
  resource: { resource: 'https://mcp.example.com/other' },
  verifier: { verifierChallenge: 'A'.repeat(43) },
  scopes: { scopes: ['read', 'write', 'admin'] },
}

/** Checks that all calls that issue a generation issue the same secret. */
export class SecretHolder {
  /** By generation. */
  readonly secrets: string[] = []
  grantKey: string | undefined
  readonly #grantId: string
  readonly #codeSecret: string

  constructor(grantId: string, codeSecret: string) {
    this.#grantId = grantId
    this.#codeSecret = codeSecret
  }

  async call(account: Account, call: Call): Promise<Answer> {
    const grant = { grantId: this.#grantId }
    switch (call.kind) {
      case 'redeem': {
        const redemption = { ...redemptionOf(this.#codeSecret), ...FAULTS[call.fault] }
        return this.#record(await account.redeemCode(redemption), 0)
      }
      case 'refresh': {
        const secret = this.secrets[call.generation]
        if (secret === undefined) throw new Error('The client does not hold this secret')
        const request = { ...refreshOf(grant, secret), ...FAULTS[call.fault] }
        return this.#record(await account.refresh(request), call.generation + 1)
      }
      case 'check': {
        const { active } = await account.check(this.#grantId, this.grantKey)
        return active ? 'active' : 'inactive'
      }
      case 'revoke':
        return (await account.revoke(this.#grantId)) ? 'revoked' : 'nothing'
    }
  }

  #record(answer: IssuedGrant | Refused, generation: number): Answer {
    if ('refused' in answer) return answer.refused
    const { refreshSecret, grantKey, props } = issued(answer)
    expect(props).toEqual(GRANT.props)
    this.grantKey ??= grantKey
    expect(grantKey).toBe(this.grantKey)
    this.secrets[generation] ??= refreshSecret
    expect(refreshSecret).toBe(this.secrets[generation])
    return `secret ${generation}`
  }
}
