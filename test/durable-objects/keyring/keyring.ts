/** A keyring for one test. It counts its calls and can be made to fail. */
import { runInDurableObject } from 'cloudflare:test'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import type { RedeemedObject } from '../../../durable-objects/keyring/redeemed-object.ts'
import type { CallsOf } from '../../../src/ports/objects.ts'
import { objectsOfKind } from '../../support/objects.ts'

export { DAY_MS, HOUR_MS, MINUTE_MS, NOON, useFakeClock } from '../fake-clock.ts'

export type Keyring = ReturnType<typeof openKeyring>

export function openKeyring() {
  const deployment = crypto.randomUUID()
  const calls = { keys: 0, redeem: 0, signingKeys: 0 }
  const failing = { with: undefined as Error | undefined }
  const keyring = objectsOfKind<KeyringObject>('keyring').getByName(deployment)
  const shardOf = (shard: string) =>
    objectsOfKind<RedeemedObject>('redeemed').getByName(`${deployment}-${shard}`)
  const call = async <T>(method: keyof typeof calls, answer: () => Promise<T>): Promise<T> => {
    calls[method] += 1
    if (failing.with !== undefined) throw failing.with
    return answer()
  }
  const keyringRpc: Pick<CallsOf<KeyringObject>, 'keys' | 'signingKeys'> = {
    keys: () => call('keys', () => keyring.keys()),
    signingKeys: () => call('signingKeys', () => keyring.signingKeys()),
  }
  const redeemedRpc = (shard: string): Pick<CallsOf<RedeemedObject>, 'redeem'> => ({
    redeem: (used, expiresAt) => call('redeem', () => shardOf(shard).redeem(used, expiresAt)),
  })
  const namespace = {
    keyring: { getByName: () => keyringRpc as typeof keyring },
    redeemed: { getByName: (shard: string) => redeemedRpc(shard) as ReturnType<typeof shardOf> },
  }
  return { namespace, calls, failing, shardOf, keyring }
}

export type Stub = Keyring['keyring']

export const alarmOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

export const tablesOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'
         ORDER BY name`,
      )
      .toArray()
      .map(({ name }) => name),
  )
