/** What every `Accounts` does when a grant is refreshed. `create` opens another deployment each time. */
import { describe, expect, it } from 'vitest'
import type { Accounts, RefreshRequest } from '../../../src/ports/accounts.ts'
import {
  connect,
  DAY_MS,
  GRANT,
  INVALID_GRANT,
  INVALID_SCOPE,
  INVALID_TARGET,
  isAlive,
  issued,
  NOON,
  pass,
  refreshing,
  refreshOf,
  SECOND_MS,
} from './person.ts'

/** By what it says, one thing in a refresh that is not as it should be. */
const WRONG: Record<string, [Partial<RefreshRequest>, object]> = {
  'another client': [{ clientId: 'client-2' }, INVALID_GRANT],
  'another resource': [{ resource: 'https://mcp.example.com/other' }, INVALID_TARGET],
  'a scope more': [{ scopes: ['read', 'admin'] }, INVALID_SCOPE],
  'another grant': [{ grantId: 'A'.repeat(22) }, INVALID_GRANT],
  'no secret': [{ refreshSecret: '' }, INVALID_GRANT],
  'a secret of zeros': [{ refreshSecret: 'A'.repeat(91) }, INVALID_GRANT],
  'any text': [{ refreshSecret: 'not a secret' }, INVALID_GRANT],
}

export function testRefreshing(name: string, create: () => Accounts): void {
  const open = async () => {
    const account = create().of('ada')
    return { account, grant: await connect(account) }
  }

  describe(`${name}: a refresh`, () => {
    it('gives a successor, and the rest as it was', async () => {
      const { account, grant } = await open()
      pass(DAY_MS)
      const next = issued(await refreshing(account, grant, grant.refreshSecret))
      expect(next.refreshSecret).not.toBe(grant.refreshSecret)
      const { codeSecret: _, ...first } = grant
      expect(next).toEqual({
        ...first,
        refreshSecret: expect.stringMatching(/^[A-Za-z0-9_-]{91}$/),
        refreshExpiresAt: NOON + 61 * DAY_MS,
      })
    })

    it('goes on for many generations, each with another secret', async () => {
      const { account, grant } = await open()
      const secrets = [grant.refreshSecret]
      for (let count = 0; count < 30; count++) {
        const next = issued(await refreshing(account, grant, secrets.at(-1) ?? ''))
        expect(next.props).toEqual({ upstream: 'token-1' })
        secrets.push(next.refreshSecret)
        pass(DAY_MS)
      }
      expect(new Set(secrets).size).toBe(31)
    })

    it('may ask for less, and gets all again the next time', async () => {
      const { account, grant } = await open()
      const asked = { scopes: ['write', 'write'] }
      const less = issued(await refreshing(account, grant, grant.refreshSecret, asked))
      expect(less.scopes).toEqual(['write'])
      expect(issued(await refreshing(account, grant, less.refreshSecret)).scopes).toEqual([
        'read',
        'write',
      ])
    })

    it('need not name the resource', async () => {
      const { account, grant } = await open()
      const asked = { resource: undefined }
      const next = issued(await refreshing(account, grant, grant.refreshSecret, asked))
      expect(next.resource).toBe('https://mcp.example.com/mcp')
    })

    it('may bring new props, which every token of the grant has from then on', async () => {
      const { account, grant } = await open()
      const newProps = { upstream: 'token-2' }
      const next = issued(await refreshing(account, grant, grant.refreshSecret, { newProps }))
      expect(next.props).toEqual(newProps)
      expect(await account.check(grant.grantId, grant.grantKey)).toEqual({
        active: true,
        props: newProps,
      })
      expect(issued(await refreshing(account, grant, next.refreshSecret)).props).toEqual(newProps)
    })

    it.each(Object.keys(WRONG))('spends nothing with %s', async (what) => {
      const { account, grant } = await open()
      const [wrong, refusal] = WRONG[what] ?? []
      const request = refreshOf(grant, grant.refreshSecret)
      expect(await account.refresh({ ...request, ...wrong })).toEqual(refusal)
      pass(DAY_MS)
      // Had it been spent, this would be reuse.
      expect(await account.refresh(request)).toMatchObject({ grantId: grant.grantId })
    })

    it.each(Object.keys(WRONG))(
      'ends nothing with %s, though its secret was spent',
      async (what) => {
        const { account, grant } = await open()
        const [wrong, refusal] = WRONG[what] ?? []
        await refreshing(account, grant, grant.refreshSecret)
        pass(DAY_MS)
        const request = { ...refreshOf(grant, grant.refreshSecret), ...wrong }
        expect(await account.refresh(request)).toEqual(refusal)
        expect(await isAlive(account, grant)).toBe(true)
      },
    )

    it('with the secret of another grant does nothing to either', async () => {
      const { account, grant } = await open()
      const other = await connect(account)
      expect(await refreshing(account, grant, other.refreshSecret)).toEqual(INVALID_GRANT)
      for (const each of [grant, other]) {
        expect(await refreshing(account, each, each.refreshSecret)).toMatchObject({
          grantId: each.grantId,
        })
      }
    })

    it('is not possible before the code is redeemed', async () => {
      const { account, grant } = await open()
      const { grantId } = await account.approve(GRANT)
      const request = { ...refreshOf(grant, grant.refreshSecret), grantId }
      expect(await account.refresh(request)).toEqual(INVALID_GRANT)
    })
  })

  describe(`${name}: a refresh token that was spent`, () => {
    it('gives the same successor within the grace, however often', async () => {
      const { account, grant } = await open()
      const answers = []
      for (const wait of [0, 0, 15 * SECOND_MS, 15 * SECOND_MS - 1]) {
        pass(wait)
        answers.push(issued(await refreshing(account, grant, grant.refreshSecret)))
      }
      expect(new Set(answers.map(({ refreshSecret }) => refreshSecret)).size).toBe(1)
      expect(new Set(answers.map(({ refreshExpiresAt }) => refreshExpiresAt)).size).toBe(1)
      const [{ refreshSecret } = { refreshSecret: '' }] = answers
      expect(await refreshing(account, grant, refreshSecret)).toMatchObject({ subject: 'ada' })
    })

    it('gives one successor to 20 who use it at once', async () => {
      const { account, grant } = await open()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => refreshing(account, grant, grant.refreshSecret)),
      )
      expect(new Set(answers.map((answer) => issued(answer).refreshSecret)).size).toBe(1)
      expect(await isAlive(account, grant)).toBe(true)
    })

    it('revokes the grant after the grace', async () => {
      const { account, grant } = await open()
      const next = issued(await refreshing(account, grant, grant.refreshSecret))
      pass(30 * SECOND_MS)
      expect(await refreshing(account, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
      expect(await isAlive(account, grant)).toBe(false)
      expect(await refreshing(account, grant, next.refreshSecret)).toEqual(INVALID_GRANT)
    })

    it('revokes the grant within the grace, once the successor was used', async () => {
      const { account, grant } = await open()
      const next = issued(await refreshing(account, grant, grant.refreshSecret))
      await refreshing(account, grant, next.refreshSecret)
      expect(await refreshing(account, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
      expect(await isAlive(account, grant)).toBe(false)
    })

    it('revokes the grant a hundred generations later', async () => {
      const { account, grant } = await open()
      let secret = grant.refreshSecret
      for (let count = 0; count < 100; count++) {
        secret = issued(await refreshing(account, grant, secret)).refreshSecret
      }
      expect(await refreshing(account, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
      expect(await isAlive(account, grant)).toBe(false)
    })

    it('takes new props in the grace', async () => {
      const { account, grant } = await open()
      await refreshing(account, grant, grant.refreshSecret)
      const newProps = { upstream: 'token-2' }
      await refreshing(account, grant, grant.refreshSecret, { newProps })
      expect((await account.check(grant.grantId, grant.grantKey)).props).toEqual(newProps)
    })
  })

  describe(`${name}: a refresh token and its DPoP key`, () => {
    const secretary = { ...GRANT.client, authMethod: 'private_key_jwt' } as const

    it('are one for a public client, from the first proof on', async () => {
      const { account, grant } = await open()
      const proven = { dpopJkt: 'key-1' }
      const bound = issued(await refreshing(account, grant, grant.refreshSecret, proven))
      expect(bound.dpopJkt).toBe('key-1')
      for (const dpopJkt of ['key-2', undefined]) {
        const request = refreshing(account, grant, bound.refreshSecret, { dpopJkt })
        expect(await request).toEqual(INVALID_GRANT)
      }
      const next = issued(await refreshing(account, grant, bound.refreshSecret, proven))
      expect(next.dpopJkt).toBe('key-1')
    })

    it('are one from the code on', async () => {
      const account = create().of('ada')
      const grant = await connect(account, { dpopJkt: 'key-1' })
      expect(await refreshing(account, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
      const proven = { dpopJkt: 'key-1' }
      expect(await refreshing(account, grant, grant.refreshSecret, proven)).toMatchObject(proven)
    })

    it('end nothing where the key is another and the token was spent', async () => {
      const account = create().of('ada')
      const grant = await connect(account, { dpopJkt: 'key-1' })
      await refreshing(account, grant, grant.refreshSecret, { dpopJkt: 'key-1' })
      pass(DAY_MS)
      const stolen = refreshing(account, grant, grant.refreshSecret, { dpopJkt: 'key-2' })
      expect(await stolen).toEqual(INVALID_GRANT)
      expect(await isAlive(account, grant)).toBe(true)
    })

    it('are apart for a client that authenticates', async () => {
      const account = create().of('ada')
      const grant = await connect(account, { client: secretary, dpopJkt: 'key-1' })
      const proven = { dpopJkt: 'key-2' }
      const next = issued(await refreshing(account, grant, grant.refreshSecret, proven))
      expect(next.dpopJkt).toBe('key-2')
      const plain = issued(await refreshing(account, grant, next.refreshSecret))
      expect(plain.dpopJkt).toBeUndefined()
    })
  })

  describe(`${name}: a look ahead at a refresh`, () => {
    it('shows what it would be for, and does nothing', async () => {
      const { account, grant } = await open()
      const request = { ...refreshOf(grant, grant.refreshSecret), scopes: ['read'] }
      const state = {
        grantId: grant.grantId,
        subject: 'ada',
        client: GRANT.client,
        resource: 'https://mcp.example.com/mcp',
        scopes: ['read'],
        props: { upstream: 'token-1' },
      }
      expect(await account.peekRefresh(request)).toEqual({ ...state, isRepeat: false })
      pass(DAY_MS)
      expect(await account.peekRefresh(request)).toEqual({ ...state, isRepeat: false })
      await account.refresh(request)
      expect(await account.peekRefresh(request)).toEqual({ ...state, isRepeat: true })
      pass(DAY_MS)
      expect(await account.peekRefresh(request)).toBeUndefined()
      expect(await isAlive(account, grant)).toBe(true)
    })

    it.each(Object.keys(WRONG))('shows nothing to %s', async (what) => {
      const { account, grant } = await open()
      const request = { ...refreshOf(grant, grant.refreshSecret), ...WRONG[what]?.[0] }
      expect(await account.peekRefresh(request)).toBeUndefined()
    })
  })

  describe(`${name}: a refresh token that is looked at`, () => {
    it('is active while a refresh with it would do, and known as long as its grant lives', async () => {
      const { account, grant } = await open()
      const stateOf = (secret: string) => account.inspectRefresh(grant.grantId, secret)
      const known = { clientId: 'client-1', scopes: ['read', 'write'] }
      const soon = { ...known, expiresAt: NOON + 60 * DAY_MS }
      expect(await stateOf(grant.refreshSecret)).toEqual({ ...soon, active: true })
      const next = issued(await refreshing(account, grant, grant.refreshSecret))
      expect(await stateOf(grant.refreshSecret)).toEqual({ ...soon, active: true })
      pass(30 * SECOND_MS)
      expect(await stateOf(grant.refreshSecret)).toEqual({ ...soon, active: false })
      expect(await stateOf(next.refreshSecret)).toEqual({ ...soon, active: true })
      // Nothing of this was a use.
      expect(await refreshing(account, grant, next.refreshSecret)).toMatchObject({ subject: 'ada' })
      await account.revoke(grant.grantId)
      expect(await stateOf(next.refreshSecret)).toBeUndefined()
    })

    it.each(['another grant', 'no secret', 'a secret of zeros'])(
      'is unknown as %s',
      async (what) => {
        const { account, grant } = await open()
        const request = { ...refreshOf(grant, grant.refreshSecret), ...WRONG[what]?.[0] }
        const { grantId, refreshSecret } = request
        expect(await account.inspectRefresh(grantId, refreshSecret)).toBeUndefined()
      },
    )
  })
}
