/** The throttle in the Worker: keys are hashed, so that no address is kept, and spread over objects. */
import type { AccountLimits, Throttle } from '../../src/ports/accounts.ts'
import { callObject } from '../object-call.ts'
import type { AccountRpc } from './account-rpc.ts'
import { digestOfText } from './digest.ts'
import { shardOf } from './shard.ts'

/** As much of a `DurableObjectNamespace<McpAccount>` as the throttle needs. */
export interface ThrottleNamespace {
  getByName(name: string): Pick<AccountRpc, 'guess'>
}

export function createThrottle(namespace: ThrottleNamespace, limits: AccountLimits): Throttle {
  return {
    guess: async (key, right) => {
      const hash = await digestOfText(key)
      return callObject(async () =>
        namespace.getByName(shardOf('throttle', hash)).guess(hash, right, limits),
      )
    },
  }
}
