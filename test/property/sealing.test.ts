/** Seals: only the deployment, the purpose and the context that sealed a text open it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSealer } from '../../durable-objects/keyring/sealer.ts'
import { decodeBase64Url, encodeBase64Url } from '../../src/platform/base64.ts'
import type { SealPurpose } from '../../src/ports/sealer.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

const PURPOSES: readonly SealPurpose[] = [
  'client-id/1',
  'event-id/1',
  'request-state/1',
  'session-id/1',
]

const secret = fc.stringMatching(/^[A-Za-z0-9+/]{32,40}$/)
const secrets = fc.uniqueArray(secret, { minLength: 1, maxLength: 4 })
const purpose = fc.constantFrom(...PURPOSES)
const context = fc.string({ unit: 'binary', maxLength: 12 })
const plaintext = fc.uint8Array({ maxLength: 60 })

const sealer = createSealer(
  {},
  'a secret of the property suites with 32 characters'.replaceAll(' ', '-'),
)

describe('a seal', () => {
  it('is refused after any bit of it was flipped', async () => {
    verifies('authorization-security-practices/session-ids-are-random')
    verifies('oauth-2-1-clients/bearer-references')
    await fc.assert(
      fc.asyncProperty(plaintext, purpose, context, fc.nat(), async (bytes, use, bound, bit) => {
        const sealed = await sealer.seal(use, bytes, bound)
        const [head = '', body = ''] = sealed.split('.')
        const raw = decodeBase64Url(body) ?? new Uint8Array()
        const at = bit % (raw.length * 8)
        raw[at >> 3] = (raw[at >> 3] ?? 0) ^ (1 << (at & 7))
        const forged = `${head}.${encodeBase64Url(raw)}`
        expect(await sealer.open(use, forged, bound)).toBeUndefined()
        expect(await sealer.open(use, sealed, bound)).toEqual(bytes)
      }),
      runs(200),
    )
  })

  it('is refused after any character of it was replaced, removed or added', async () => {
    const character = fc.constantFrom(...'AQgw019azZ-_.= \u00e9', '')
    await fc.assert(
      fc.asyncProperty(
        plaintext,
        context,
        fc.nat(),
        fc.nat({ max: 1 }),
        character,
        async (bytes, bound, place, removed, insert) => {
          const sealed = await sealer.seal('session-id/1', bytes, bound)
          const at = place % (sealed.length + 1)
          const forged = sealed.slice(0, at) + insert + sealed.slice(at + removed)
          fc.pre(forged !== sealed)
          expect(await sealer.open('session-id/1', forged, bound)).toBeUndefined()
        },
      ),
      runs(300),
    )
  })

  it('opens only for its own purpose and context', async () => {
    await fc.assert(
      fc.asyncProperty(
        plaintext,
        purpose,
        purpose,
        context,
        context,
        async (bytes, use, otherUse, bound, otherBound) => {
          const sealed = await sealer.seal(use, bytes, bound)
          const isOwn = use === otherUse && bound === otherBound
          expect(await sealer.open(otherUse, sealed, otherBound)).toEqual(isOwn ? bytes : undefined)
        },
      ),
      runs(200),
    )
  })

  it('has equal texts for equal content only when it is deterministic', async () => {
    const random = fc.uint8Array({ minLength: 32, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(random, random, context, async (one, other, bound) => {
        const seal = (bytes: Uint8Array, deterministic: boolean) =>
          sealer.seal('client-id/1', bytes, bound, { deterministic })
        expect(await seal(one, true)).toBe(await seal(one, true))
        expect(await seal(one, false)).not.toBe(await seal(one, false))
        if (one.toHex() !== other.toHex())
          expect(await seal(one, true)).not.toBe(await seal(other, true))
      }),
      runs(100),
    )
  })
})

describe('the secrets of the environment', () => {
  it('open a seal exactly while the secret that sealed it is one of them, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, secrets, plaintext, async (before, after, bytes) => {
        const sealed = await createSealer({}, before.join(' ')).seal('session-id/1', bytes, '')
        const opened = await createSealer({}, after.join('\n')).open('session-id/1', sealed, '')
        expect(opened).toEqual(after.includes(before[0] ?? '') ? bytes : undefined)
        const rotated = [...after, ...before].slice(0, 8).join(' ')
        expect(await createSealer({}, rotated).open('session-id/1', sealed, '')).toEqual(bytes)
      }),
      runs(60),
    )
  })
})
