/** The first step of every call of an account: the account ends what was revoked for many at once. */
import { LruMap } from '../../src/platform/lru-map.ts'
import { REVOCATION_MARGIN_MS, type Revocations } from '../../src/ports/revocations.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { AccountRpc } from './account-object.ts'

/** Accounts of which this isolate knows that they have applied the newest revocation. */
const MAX_ACCOUNTS = 1_000

/**
 * While nothing is revoked, the step calls no object. After a revocation it costs one call per account and
 * isolate; more while the time of the revocation is near, because grants may still be issued before it.
 */
export function createRevocationStep(
  namespace: ObjectNamespace<Pick<AccountRpc, 'endIssuedBefore'>>,
  revocations: () => Promise<Revocations>,
): (name: string) => Promise<void> {
  const applied = new LruMap<number>(MAX_ACCOUNTS)
  return async (name) => {
    const revoked = await revocations()
    const newest = Math.max(revoked.validFrom, ...Object.values(revoked.clients))
    if (newest === 0 || applied.get(name) === newest) return
    await callObject(async () => namespace.getByName(name).endIssuedBefore(revoked))
    if (Date.now() > newest + REVOCATION_MARGIN_MS) applied.set(name, newest)
  }
}
