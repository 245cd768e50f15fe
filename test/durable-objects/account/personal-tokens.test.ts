/** Personal access tokens in the account of their subject. */
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/ports/accounts.ts'
import type { NewPersonalToken } from '../../../src/ports/personal-token.ts'
import { openAccounts } from './account.ts'
import {
  advance,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NOON,
  PERSONAL_TOKEN,
  useFakeClock,
} from './grant-requests.ts'

const OTHER_KEY = 'A'.repeat(43)

const listed = (account: Account) => account.listGrants({ personalTokens: true })

async function create(account: Account, changes: Partial<NewPersonalToken> = {}) {
  const created = await account.createPersonalToken({ ...PERSONAL_TOKEN, ...changes })
  if ('refused' in created) throw new Error(created.refused)
  return created.tokenId
}

useFakeClock()

const open = () => openAccounts().accounts.of('ada')

describe('a personal access token', () => {
  it('has the digest of its key as its id', async () => {
    const digest = await crypto.subtle.digest(
      'SHA-256',
      Uint8Array.fromBase64(PERSONAL_TOKEN.key, { alphabet: 'base64url' }),
    )
    const alphabet = { alphabet: 'base64url', omitPadding: true } as const
    expect(await create(open())).toBe(new Uint8Array(digest).toBase64(alphabet))
  })

  it('has other props with its key, or without it when it is renewable', async () => {
    const account = open()
    const id = await create(account, { renewable: true })
    const fixed = await create(account, { key: OTHER_KEY, name: 'fixed' })
    const { key } = PERSONAL_TOKEN
    const renew = (upstream: string) =>
      account.renewProps([id, fixed].map((grantId) => ({ grantId, props: { upstream } })))
    await renew('token-2')
    expect((await account.check(id, key)).props).toEqual({ upstream: 'token-2' })
    expect((await account.check(fixed, OTHER_KEY)).props).toEqual({ upstream: 'token-1' })
    expect(await account.setProps(id, key, { upstream: 'token-3' })).toBe(true)
    expect(await account.setProps(id, OTHER_KEY, { upstream: 'x' })).toBe(false)
    expect((await account.check(id, key)).props).toEqual({ upstream: 'token-3' })
  })

  it('is listed with its last use, accurate to an hour, newest first', async () => {
    const account = open()
    const first = await create(account)
    advance(MINUTE_MS)
    await create(account, { key: OTHER_KEY, name: 'other' })
    advance(1)
    await account.check(first, PERSONAL_TOKEN.key)
    advance(HOUR_MS - 1)
    await account.check(first, PERSONAL_TOKEN.key)
    const [newest, oldest] = await listed(account)
    expect(newest).toMatchObject({
      client: { name: 'other' },
      lastUsedAt: NOON + MINUTE_MS,
      personalToken: { isUsed: false },
    })
    expect(oldest).toEqual({
      grantId: first,
      client: { id: `personal-access-token:${first}`, name: 'CI', uri: undefined },
      resource: 'https://mcp.example.com/mcp',
      scopes: ['read'],
      createdAt: NOON,
      lastUsedAt: NOON + MINUTE_MS + 1,
      personalToken: { isUsed: true, expiresAt: NOON + 30 * DAY_MS },
    })
  })

  it.each(['', 'A', 'A'.repeat(42), 'A'.repeat(44), '!'.repeat(43)])(
    'is not created with the key "%s"',
    async (key) => {
      const refused = open().createPersonalToken({ ...PERSONAL_TOKEN, key })
      await expect(refused).rejects.toThrow('Not the key of a personal access token')
    },
  )
})
