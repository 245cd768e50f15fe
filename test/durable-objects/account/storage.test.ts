/** The storage of an account object: secrecy, lifetime, alarms and evictions. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { alarmOf, countsOf, openAda, rowsOf, type Stub } from './account.ts'
import {
  advance,
  connect,
  DAY_MS,
  GRANT,
  INVALID_GRANT,
  isActive,
  issued,
  MINUTE_MS,
  NOON,
  PERSONAL_TOKEN,
  redemptionOf,
  refreshWith,
  SECOND_MS,
  useFakeClock,
} from './grant-requests.ts'

useFakeClock()

const bytesOf = (text: string) => Uint8Array.fromBase64(text, { alphabet: 'base64url' })

/** A random secret with a valid MAC of a family. */
async function forge(familyKey: Uint8Array, generation: number): Promise<string> {
  const claim = crypto.getRandomValues(new Uint8Array(36))
  new DataView(claim.buffer).setUint32(0, generation)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', familyKey, algorithm, false, ['sign'])
  const proven = new Uint8Array([...new TextEncoder().encode('member:'), ...claim])
  const proof = new Uint8Array(await crypto.subtle.sign('HMAC', key, proven))
  const text = new Uint8Array([...claim, ...proof])
  return text.toBase64({ alphabet: 'base64url', omitPadding: true })
}

/** The text and bytes of every row. */
const storedTextOf = async (stub: Stub) => JSON.stringify(await rowsOf(stub))

describe('the storage of an account', () => {
  it('contains no issued secret and no readable props', async () => {
    verifies('authorization-security/token-storage')
    verifies('authorization-security-practices/third-party-token-mapping')
    verifies('authorization-security-practices/third-party-credentials')
    verifies('oauth-2-1-clients/confidential-tokens', 'oauth-2-1-security/encrypted-contents')
    verifies('bearer-tokens/token-encryption')
    verifies('oauth-security-practice/tokens-are-not-stored-in-plain-text')
    const { account, stub } = await openAda()
    const pending = await account.approve(GRANT)
    const grant = await connect(account, { rememberConsent: true })
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    await refreshWith(account, grant, next.refreshSecret, { newProps: { upstream: 'token-2' } })
    const last = issued(await refreshWith(account, grant, next.refreshSecret))
    const { grantId } = await connect(account, { renewable: true })
    await account.renewProps([{ grantId, props: { upstream: 'token-2' } }])
    await account.createPersonalToken(PERSONAL_TOKEN)
    const stored = await storedTextOf(stub)
    expect(stored).toContain(grant.grantId)
    const secrets = [pending.codeSecret, grant.codeSecret, grant.grantKey, PERSONAL_TOKEN.key]
    for (const secret of secrets) {
      expect(stored).not.toContain(secret)
      expect(stored).not.toContain(bytesOf(secret).toHex())
    }
    for (const { refreshSecret } of [grant, next, last]) {
      expect(stored).not.toContain(refreshSecret.slice(6, 48))
      const secret = bytesOf(refreshSecret).subarray(4, 36).toHex()
      expect(secret).toHaveLength(64)
      expect(stored).not.toContain(secret)
    }
    for (const props of ['token-1', 'token-2', 'upstream']) {
      expect(stored).not.toContain(props)
      expect(stored).not.toContain(new TextEncoder().encode(props).toHex())
    }
  })

  it.each([
    ['newest', 1],
    ['previous', 0],
    ['next', 2],
  ])('is not enough to forge a refresh token of the %s generation', async (_, generation) => {
    verifies('authorization-security/token-storage', 'oauth-2-1-clients/bearer-references')
    verifies('oauth-2-1-grants/refresh-tokens-cannot-be-forged')
    verifies('oauth-security-practice/integrity-of-refresh-tokens')
    const { account, stub } = await openAda()
    const grant = await connect(account)
    await refreshWith(account, grant, grant.refreshSecret)
    const { grants: [row] = [] } = await rowsOf(stub)
    // The family's key authenticates any secret, but the digest of the newest one is stored.
    const forged = await forge(Uint8Array.fromHex(row?.family_key ?? ''), generation)
    expect(await account.inspectRefresh(grant.grantId, forged)).not.toMatchObject({ active: true })
    expect(await refreshWith(account, grant, forged)).toEqual(INVALID_GRANT)
  })

  it('contains only the digest of a throttle key', async () => {
    const { accounts, objects } = await openAda()
    await accounts.throttle.guess('passphrase 203.0.113.7', false)
    const keys = Array.from({ length: 16 }, (_, shard) => String(shard))
    const rows = await Promise.all(keys.map((key) => rowsOf(objects.throttles.named(key))))
    const guesses = rows.flatMap(({ guesses = [] }) => guesses)
    expect(guesses).toEqual([
      {
        key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        failures: '1',
        wait_until: '0',
        due_at: String(NOON + 15 * MINUTE_MS),
      },
    ])
  })
})

describe('the version of the definitions of a subject', () => {
  it('is returned by each check of a grant from its first change on, also after an eviction', async () => {
    const { account, stub } = await openAda()
    const { grantId, grantKey } = await connect(account)
    const version = async () => (await account.check(grantId, grantKey)).definitionVersion
    expect(await version()).toBeUndefined()
    await account.changeDefinitionVersion()
    const first = await version()
    expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/)
    await evictDurableObject(stub)
    expect(await version()).toBe(first)
    await account.changeDefinitionVersion()
    expect([undefined, first]).not.toContain(await version())
    expect((await rowsOf(stub)).definition_versions).toHaveLength(1)
  })

  it('expires 30 days after its last change', async () => {
    const { account } = await openAda()
    const { grantId, grantKey } = await connect(account)
    await account.changeDefinitionVersion()
    advance(30 * DAY_MS - 1)
    expect((await account.check(grantId, grantKey)).definitionVersion).toBeDefined()
    advance(1)
    const check = await account.check(grantId, grantKey)
    expect([check.active, check.definitionVersion]).toEqual([true, undefined])
  })
})

describe('an account object without rows', () => {
  it('creates no tables when it is only read', async () => {
    const { account, accounts, stub, objects } = await openAda()
    const elsewhere = await connect(accounts.of('bob'), { subject: 'bob' })
    expect(await account.redeemCode(redemptionOf(elsewhere.codeSecret))).toEqual(INVALID_GRANT)
    expect(await refreshWith(account, elsewhere, elsewhere.refreshSecret)).toEqual(INVALID_GRANT)
    expect(await isActive(account, elsewhere)).toBe(false)
    expect(await account.setProps(elsewhere.grantId, elsewhere.grantKey, {})).toBe(false)
    expect(await account.revoke(elsewhere.grantId)).toBe(false)
    await account.changeDefinitionVersion()
    expect(await account.inspectRefresh(elsewhere.grantId, elsewhere.refreshSecret)).toBeUndefined()
    expect(await account.listGrants()).toEqual([])
    expect(await account.hasConsent('client-1', 'https://a.example', 'r', ['read'])).toBe(false)
    await account.deleteConsents('client-1')
    expect(await account.listGrants({ personalTokens: true })).toEqual([])
    await account.renewProps([{ grantId: elsewhere.grantId, props: {} }])
    expect(await account.hasSignInEnded('sign-in-1')).toBe(false)
    expect(await rowsOf(stub)).toEqual({})
    expect(await alarmOf(stub)).toBeNull()
    const shard = objects.throttles.named('3')
    await shard.guess('key', true)
    expect(await rowsOf(shard)).toEqual({})
  })
})

describe('a refused call', () => {
  it('changes neither a row nor the alarm', async () => {
    const { account, stub } = await openAda()
    const pending = await account.approve(GRANT)
    const grant = await connect(account)
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    advance(DAY_MS)
    const before = await rowsOf(stub)
    const alarm = await alarmOf(stub)
    const wrong = { clientId: 'client-2' }
    await account.redeemCode({ ...redemptionOf(grant.codeSecret), ...wrong })
    await account.redeemCode(redemptionOf(pending.codeSecret))
    await refreshWith(account, grant, next.refreshSecret, wrong)
    await refreshWith(account, grant, next.refreshSecret, { scopes: ['admin'] })
    await refreshWith(account, grant, grant.refreshSecret, { scopes: ['admin'] })
    await refreshWith(account, grant, grant.codeSecret)
    await account.inspectRefresh(grant.grantId, grant.refreshSecret)
    await account.check(grant.grantId, pending.codeSecret)
    await account.setProps(grant.grantId, pending.codeSecret, {})
    await account.revoke(pending.grantId)
    expect(await rowsOf(stub)).toEqual(before)
    expect(await alarmOf(stub)).toBe(alarm)
  })
})

describe('consents in storage', () => {
  const approve = (client: number) => ({
    ...GRANT,
    client: { ...GRANT.client, id: `client-${client}` },
    rememberConsent: true,
  })

  it('are limited to the newest two hundred', async () => {
    verifies('authorization-security-practices/consent-decisions-are-stored-securely')
    const { account, stub } = await openAda()
    for (let client = 0; client < 202; client++) {
      await account.approve(approve(client))
      advance(SECOND_MS)
    }
    expect(await countsOf(stub)).toMatchObject({ consents: 200 })
    const { redirectUri, resource } = GRANT
    const remembered = await Promise.all(
      [0, 1, 2, 201].map((client) =>
        account.hasConsent(`client-${client}`, redirectUri, resource, GRANT.scopes),
      ),
    )
    expect(remembered).toEqual([false, false, true, true])
  })
})

describe('an account whose person is deleted', () => {
  it('keeps only the time until which sign-ins have ended, and finds nothing at the second time', async () => {
    const { account, stub } = await openAda()
    const grant = await connect(account, { rememberConsent: true })
    const { grantId } = await connect(account)
    await account.revoke(grantId)
    await account.createPersonalToken(PERSONAL_TOKEN)
    await account.changeDefinitionVersion()
    expect(await countsOf(stub)).toMatchObject({ revoked_grants: 1, definition_versions: 1 })
    const signInsUntil = NOON + DAY_MS
    expect(await account.endAll(signInsUntil, true)).toEqual({
      grants: 1,
      personalTokens: 1,
      consents: 1,
    })
    expect(await countsOf(stub)).toEqual({ ended_sign_ins: 1 })
    expect(await isActive(account, grant)).toBe(false)
    const nothing = { grants: 0, personalTokens: 0, consents: 0 }
    expect(await account.endAll(signInsUntil, true)).toEqual(nothing)
    vi.setSystemTime(signInsUntil + MINUTE_MS)
    await runDurableObjectAlarm(stub)
    expect(await rowsOf(stub)).toEqual({})
  })
})
