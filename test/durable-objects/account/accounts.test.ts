/** The accounts port in the Worker: names, props and limits, and retries after a reset. */
import { describe, expect, it } from 'vitest'
import { resolveAccountLimits } from '../../../durable-objects/account/account-limits.ts'
import type { AccountObject } from '../../../durable-objects/account/account-object.ts'
import { createAccounts } from '../../../durable-objects/account/accounts.ts'
import type { DocumentsObject } from '../../../durable-objects/account/documents-object.ts'
import type { ThrottleObject } from '../../../durable-objects/account/throttle-object.ts'
import type { AccountLimits } from '../../../src/ports/account-limits.ts'
import type { NewGrant } from '../../../src/ports/grant.ts'
import { objectsOfKind } from '../../support/objects.ts'
import { openAccounts } from './account.ts'
import {
  connect,
  GRANT,
  INVALID_GRANT,
  isActive,
  issued,
  redemptionOf,
  refreshWith,
  useFakeClock,
} from './grant-requests.ts'

useFakeClock()

it('accounts call the objects of the binding', async () => {
  const subject = crypto.randomUUID()
  const account = createAccounts({
    accounts: objectsOfKind<AccountObject>('account'),
    throttles: objectsOfKind<ThrottleObject>('throttle'),
    documents: objectsOfKind<DocumentsObject>('documents'),
  }).of(subject)
  expect(await isActive(account, await connect(account, { subject }))).toBe(true)
})

describe('the name of an account', () => {
  it('is the SHA-256 digest of the subject', async () => {
    const { accounts } = openAccounts()
    expect(await accounts.nameOf('ada')).toBe('mCwvnnHfNUUlpsPGD-X2PL9iS1n7lTniZ_Wtk1xhlhM')
    expect(await accounts.nameOf('')).toBe('Eq4yyx7ALQHto1gbEnwf7jsNxTVy7WuvI5choD2C4SY')
  })

  it('differs for every subject', async () => {
    const { accounts } = openAccounts()
    const subjects = [
      ...['ada', 'Ada', 'ada ', '', ' ', '"', '\\', '\u0000', 'é', 'e\u0301', '李', '👩‍💻'],
      ...['\ud800', '\ud801', '\ufffd', 'https://idp.example|ada', 'x'.repeat(100_000)],
    ]
    const names = await Promise.all(subjects.map((subject) => accounts.nameOf(subject)))
    expect(new Set(names).size).toBe(subjects.length)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  it('opens the account of its subject', async () => {
    const { accounts } = openAccounts()
    const subject = 'Zoë 👩‍💻'
    const grant = await connect(accounts.of(subject), { subject })
    const account = accounts.byName(await accounts.nameOf(subject))
    expect(await isActive(account, grant)).toBe(true)
    expect(await refreshWith(account, grant, grant.refreshSecret)).toMatchObject({ subject })
  })

  it.each(['', 'ada', 'throttle-3', `${'A'.repeat(43)}\n`, 'A'.repeat(44), `${'A'.repeat(42)}/`])(
    'is never %j',
    (name) => {
      expect(() => openAccounts().accounts.byName(name)).toThrow(TypeError)
    },
  )
})

describe('the approval of a grant', () => {
  it('is refused in the account of another subject', async () => {
    const { accounts } = openAccounts()
    await expect(accounts.of('bob').approve(GRANT)).rejects.toThrow(TypeError)
    const byName = accounts.byName(await accounts.nameOf('bob'))
    await expect(byName.approve(GRANT)).rejects.toThrow(TypeError)
    const own = accounts.byName(await accounts.nameOf('ada'))
    expect(await isActive(own, await connect(own))).toBe(true)
  })
})

describe('props of a grant', () => {
  it('can be any JSON object up to 65,536 code units', async () => {
    const account = openAccounts().accounts.of('ada')
    const props = { '': [null, 1.5, 'é\ud83d\ude00"\\'], long: 'x'.repeat(65_000), no: undefined }
    const { no: _, ...expected } = props
    expect((await connect(account, { props })).props).toStrictEqual(expected)
  })

  it('are stored in their JSON representation', async () => {
    const account = openAccounts().accounts.of('ada')
    const props = { at: new Date(0), call: () => 1 }
    expect((await connect(account, { props })).props).toEqual({ at: '1970-01-01T00:00:00.000Z' })
  })

  const cycle: { self?: object } = {}
  cycle.self = cycle

  it.each([
    ['an array', [1], TypeError],
    ['text', 'text', TypeError],
    ['null', null, TypeError],
    ['a big integer', { n: 1n }, TypeError],
    ['a cycle', cycle, TypeError],
    ['a value that has no JSON', { toJSON: () => undefined }, TypeError],
    ['an object that is too large', { long: 'x'.repeat(65_536) }, RangeError],
  ])('cannot be %s', async (_, value, error) => {
    const account = openAccounts().accounts.of('ada')
    const props = value as unknown as NonNullable<NewGrant['props']>
    await expect(account.approve({ ...GRANT, props })).rejects.toThrow(error)
    const grant = await connect(account)
    await expect(account.setProps(grant.grantId, grant.grantKey, props)).rejects.toThrow(error)
    const request = refreshWith(account, grant, grant.refreshSecret, { newProps: props })
    await expect(request).rejects.toThrow(error)
    expect((await account.check(grant.grantId, grant.grantKey)).props).toEqual(GRANT.props)
  })
})

describe('the limits of accounts', () => {
  it.each([
    ['zero', { codeTtlMs: 0 }],
    ['a fraction', { refreshGraceMs: 0.5 }],
    ['an infinite one', { grantLifetimeMs: Number.POSITIVE_INFINITY }],
    ['NaN', { accessTtlMs: Number.NaN }],
    ['an access token that outlives its signing key', { accessTtlMs: 31 * 86_400_000 }],
    ['a refresh token that outlives its seal', { refreshIdleMs: 91 * 86_400_000 }],
    ['an unknown name', { codeTtl: 1 }],
  ])('are rejected with %s', (_, limits) => {
    expect(() => resolveAccountLimits(limits as Partial<AccountLimits>)).toThrow(TypeError)
  })
})

describe('a call whose object is reset before its answer arrives', () => {
  const reset = Object.assign(new Error('reset because its code was updated'), { retryable: true })

  /** Accounts where the answer of the first call of a method is lost after its effect. */
  function openLossy() {
    const { objects } = openAccounts()
    const lost = new Set<string>()
    const accounts = {
      named: (key: string) =>
        new Proxy(objects.accounts.named(key), {
          get:
            (stub, method: string) =>
            async (...args: unknown[]) => {
              const answer = await (
                stub as unknown as Record<string, (...all: unknown[]) => unknown>
              )[method]?.(...args)
              if (lost.delete(method)) throw reset
              return answer
            },
        }),
    }
    return { account: createAccounts({ ...objects, accounts }).of('ada'), lost }
  }

  it('redeems a code once, and does not count as a replay of itself', async () => {
    const { account, lost } = openLossy()
    const { codeSecret } = await account.approve(GRANT)
    lost.add('redeemCode')
    const grant = issued(await account.redeemCode(redemptionOf(codeSecret)))
    expect(grant.props).toEqual({ upstream: 'token-1' })
    expect(await isActive(account, grant)).toBe(true)
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    expect(await refreshWith(account, grant, next.refreshSecret)).toMatchObject({ subject: 'ada' })
    expect(await account.redeemCode(redemptionOf(codeSecret))).toEqual(INVALID_GRANT)
    expect(await isActive(account, grant)).toBe(false)
  })

  it('refreshes once', async () => {
    const { account, lost } = openLossy()
    const grant = await connect(account)
    lost.add('refresh')
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    expect(await refreshWith(account, grant, next.refreshSecret)).toMatchObject({ subject: 'ada' })
  })
})
