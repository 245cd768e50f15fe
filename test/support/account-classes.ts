/** The classes of accounts that the Worker of the tests exports: one for each set of limits. */

import { resolveAccountLimits } from '../../durable-objects/account/account-limits.ts'
import { AccountObject } from '../../durable-objects/account/account-object.ts'
import { DocumentsObject } from '../../durable-objects/account/documents-object.ts'
import { ThrottleObject } from '../../durable-objects/account/throttle-object.ts'
import { createAppObjects } from '../../durable-objects/app-objects.ts'
import { HostedObject } from '../../durable-objects/hosted-object.ts'
import { createObjectsClass } from '../../durable-objects/objects-class.ts'
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { ServerObjects } from '../../src/ports/objects.ts'
import { LIMIT_SETS } from '../durable-objects/account/limit-sets.ts'

export function accountParts(overrides: Partial<AccountLimits>): ServerObjects['parts'] {
  const limits = resolveAccountLimits(overrides)
  return {
    account: { create: (state, env) => new AccountObject(state, env, limits), options: limits },
    throttle: { create: (state, env) => new ThrottleObject(state, env, limits), options: limits },
    documents: { create: (state, env) => new DocumentsObject(state, env) },
  }
}

const classWith = (overrides: Partial<AccountLimits>) =>
  createObjectsClass(
    [
      {
        audience: 'accounts',
        parts: accountParts(overrides),
        objectsIn: (env) =>
          createAppObjects(env as object as never, {
            audience: 'accounts',
            isPublic: () => false,
            report: () => undefined,
          }),
      },
    ],
    HostedObject,
  )

export const ShortGrantsAccount = classWith(LIMIT_SETS.shortGrants)
export const ShortRefreshTokensAccount = classWith(LIMIT_SETS.shortRefreshTokens)
export const ThreeGrantsAccount = classWith(LIMIT_SETS.threeGrants)
export const LowCapsAccount = classWith(LIMIT_SETS.lowCaps)
