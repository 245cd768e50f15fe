/** The throttle in the Worker: keys are hashed, so that no address is kept, and spread over objects. */
import type { AccountLimits, Throttle } from '../../src/ports/accounts.ts'
import { callObject } from '../object-call.ts'
import type { AccountRpc } from './account-rpc.ts'
import { digestOfText } from './digest.ts'

/** As much of a `DurableObjectNamespace<McpAccount>` as the throttle needs. */
export interface ThrottleNamespace {
  getByName(name: string): Pick<AccountRpc, 'attempt' | 'succeed'>
}

const SHARDS = 16

export function createThrottle(namespace: ThrottleNamespace, limits: AccountLimits): Throttle {
  const call = async <T>(
    key: string,
    run: (shard: Pick<AccountRpc, 'attempt' | 'succeed'>, hash: string) => Promise<T>,
  ): Promise<T> => {
    const hash = await digestOfText(key)
    return callObject(async () => run(namespace.getByName(shardOf(hash)), hash))
  }
  return {
    attempt: (key) => call(key, (shard, hash) => shard.attempt(hash, limits)),
    succeed: (key) => call(key, (shard, hash) => shard.succeed(hash)),
  }
}

function shardOf(hash: string): string {
  return `throttle-${hash.charCodeAt(0) % SHARDS}`
}
