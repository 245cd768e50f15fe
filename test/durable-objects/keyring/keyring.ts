/** A keyring for one test. It counts its calls and can be made to fail. */
import { runInDurableObject } from 'cloudflare:test'
import type { KeyringObject, McpKeyring } from '../../../durable-objects/keyring/keyring-object.ts'
import { objectsOfKind } from '../../support/objects.ts'

export { DAY_MS, HOUR_MS, MINUTE_MS, NOON, useFakeClock } from '../fake-clock.ts'

type KeyringRpc = Pick<McpKeyring, 'keys' | 'redeem' | 'signingKeys'>

export type Keyring = ReturnType<typeof openKeyring>

export function openKeyring() {
  const deployment = crypto.randomUUID()
  const calls = { keys: 0, redeem: 0, signingKeys: 0 }
  const failing = { with: undefined as Error | undefined }
  const stubOf = (name: string) =>
    objectsOfKind<KeyringObject>('keyring').getByName(`${deployment}/${name}`)
  const call = async <T>(method: keyof typeof calls, answer: () => Promise<T>): Promise<T> => {
    calls[method] += 1
    if (failing.with !== undefined) throw failing.with
    return answer()
  }
  const namespace = {
    getByName: (name: string): KeyringRpc => ({
      keys: () => call('keys', () => stubOf(name).keys()),
      redeem: (used, expiresAt) => call('redeem', () => stubOf(name).redeem(used, expiresAt)),
      signingKeys: () => call('signingKeys', () => stubOf(name).signingKeys()),
    }),
  }
  return { namespace, calls, failing, stubOf, keyring: stubOf('keyring') }
}

export type Stub = Keyring['keyring']

export const alarmOf = (stub: Stub) =>
  runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

export const tablesOf = (stub: Stub) =>
  runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'
         ORDER BY name`,
      )
      .toArray()
      .map(({ name }) => name),
  )
