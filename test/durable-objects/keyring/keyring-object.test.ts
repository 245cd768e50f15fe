/** The keys of a deployment that many calls ask for at once, and their randomness. The model has their schedule. */
import { describe, expect, it, vi } from 'vitest'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import { inPart } from '../../support/objects.ts'
import { verifies } from '../../support/verifies.ts'
import { DAY_MS, NOON, openKeyring, useFakeClock } from './keyring.ts'

useFakeClock()

type Keys = readonly { readonly id: string }[]
type KeyCalls = Pick<KeyringObject, 'keys' | 'signingKeys'>

const KINDS = [
  { kind: 'sealing', call: async (keyring: KeyCalls): Promise<Keys> => keyring.keys() },
  { kind: 'signing', call: async (keyring: KeyCalls): Promise<Keys> => keyring.signingKeys() },
] as const

describe.each(KINDS)('KeyringObject: $kind keys', ({ call }) => {
  /** Thirty calls at once, within the object. */
  const open = () => {
    const { keyring } = openKeyring()
    return () =>
      inPart<KeyringObject, Keys[]>(keyring, (object) =>
        Promise.all(Array.from({ length: 30 }, () => call(object))),
      )
  }

  it('are created once for concurrent calls: the first key, and its successor', async () => {
    const callConcurrently = open()
    for (const [at, count] of [
      [NOON, 1],
      [NOON + 29 * DAY_MS, 2],
    ] as const) {
      vi.setSystemTime(at)
      const ids = (await callConcurrently()).flatMap((keys) => keys.map(({ id }) => id))
      expect([ids.length, new Set(ids).size]).toEqual([30 * count, count])
    }
  })
})

it('KeyringObject creates a different secret of 32 bytes in each deployment', async () => {
  verifies('oauth-2-1-security/entropy')
  const [one] = await openKeyring().keyring.keys()
  const [other] = await openKeyring().keyring.keys()
  expect(one?.id).toMatch(/^[A-Za-z0-9_-]{8}$/)
  expect(one?.secret.length).toBe(32)
  expect(one?.id).not.toBe(other?.id)
  expect(one?.secret).not.toEqual(other?.secret)
})
