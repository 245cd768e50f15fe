/** The classes of accounts that the Worker of the tests exports: one for each set of limits. */
import { createAccountClass } from '../../durable-objects/account/account-object.ts'
import { LIMIT_SETS } from '../durable-objects/account/limit-sets.ts'

export const McpAccount = createAccountClass()
export const ShortGrantsAccount = createAccountClass(LIMIT_SETS.shortGrants)
export const ShortRefreshTokensAccount = createAccountClass(LIMIT_SETS.shortRefreshTokens)
export const ThreeGrantsAccount = createAccountClass(LIMIT_SETS.threeGrants)
export const LowCapsAccount = createAccountClass(LIMIT_SETS.lowCaps)
