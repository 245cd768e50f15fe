/** A keyring for one test. It counts its calls and can be made to fail. */
import { runInDurableObject } from 'cloudflare:test'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import type { RedeemedObject } from '../../../durable-objects/keyring/redeemed-object.ts'
import { KEYRING_KEY } from '../../../durable-objects/keyring/shards.ts'
import type { CallsOf, ObjectStub, ObjectsOfKind } from '../../../src/ports/objects.ts'
import { objectsOfKind } from '../../support/objects.ts'

export { DAY_MS, HOUR_MS, MINUTE_MS, NOON, useFakeClock } from '../fake-clock.ts'

type Keys = Pick<KeyringObject, 'keys' | 'signingKeys'>
type Names = Pick<RedeemedObject, 'redeem'>

const keyrings = objectsOfKind<KeyringObject>('keyring')
const redeemedNames = objectsOfKind<RedeemedObject>('redeemed')

export function openKeyring() {
  const deployment = crypto.randomUUID()
  const calls = { keys: 0, redeem: 0, signingKeys: 0 }
  const failing = { with: undefined as Error | undefined }
  const keyringOf = (key: string) => keyrings.named(`${deployment}-${key}`)
  const shardOf = (key: string) => redeemedNames.named(`${deployment}-${key}`)
  const call = async <T>(method: keyof typeof calls, answer: () => Promise<T>): Promise<T> => {
    calls[method] += 1
    if (failing.with !== undefined) throw failing.with
    return answer()
  }
  const keyring: ObjectsOfKind<Keys> = {
    named: (key) => ({
      fetch: (request: Request) => keyringOf(key).fetch(request),
      keys: () => call('keys', () => keyringOf(key).keys()),
      signingKeys: () => call('signingKeys', () => keyringOf(key).signingKeys()),
    }),
  }
  const redeemed: ObjectsOfKind<Names> = {
    named: (key) => ({
      fetch: (request: Request) => shardOf(key).fetch(request),
      redeem: (name, expiresAt) => call('redeem', () => shardOf(key).redeem(name, expiresAt)),
    }),
  }
  return {
    objects: { keyring, redeemed },
    calls,
    failing,
    keyring: keyringOf(KEYRING_KEY),
    /** A shard of the names that can be redeemed once. */
    shardOf,
  }
}

/** Objects that are no Durable Objects. */
export const fakeObjects = <Part>(calls: CallsOf<Part>, opened?: (key: string) => void) => ({
  named: (key: string): CallsOf<Part> & ObjectStub => {
    opened?.(key)
    return { ...calls, fetch: async () => new Response(null, { status: 503 }) }
  },
})

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
