/** Refresh tokens in the account of their subject. */
import { describe, expect, it } from 'vitest'
import type { RefreshRequest } from '../../../src/ports/grant-tokens.ts'
import { verifies } from '../../support/verifies.ts'
import { openAccounts } from './account.ts'
import {
  advance,
  connect,
  DAY_MS,
  GRANT,
  INVALID_GRANT,
  INVALID_SCOPE,
  INVALID_TARGET,
  invalidGrant,
  isActive,
  issued,
  NOON,
  refreshOf,
  refreshWith,
  SECOND_MS,
  useFakeClock,
} from './grant-requests.ts'

/** Refreshes with one wrong parameter, and the refusal of each. */
const WRONG: Record<string, [Partial<RefreshRequest>, object]> = {
  'another client': [{ clientId: 'client-2' }, invalidGrant('refresh-token-client-mismatch')],
  'another resource': [{ resource: 'https://mcp.example.com/other' }, INVALID_TARGET],
  'an additional scope': [{ scopes: ['read', 'admin'] }, INVALID_SCOPE],
  'another grant': [{ grantId: 'A'.repeat(22) }, INVALID_GRANT],
  'no secret': [{ refreshSecret: '' }, INVALID_GRANT],
  'a secret of zeros': [{ refreshSecret: 'A'.repeat(91) }, INVALID_GRANT],
  'any text': [{ refreshSecret: 'not a secret' }, INVALID_GRANT],
}

useFakeClock()

const open = async () => {
  const account = openAccounts().accounts.of('ada')
  return { account, grant: await connect(account) }
}

describe('a refresh', () => {
  it('issues a successor, and leaves the rest of the grant unchanged', async () => {
    const { account, grant } = await open()
    advance(DAY_MS)
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    expect(next.refreshSecret).not.toBe(grant.refreshSecret)
    const { codeSecret: _, ...first } = grant
    expect(next).toEqual({
      ...first,
      refreshSecret: expect.stringMatching(/^[A-Za-z0-9_-]{91}$/),
      refreshExpiresAt: NOON + 61 * DAY_MS,
      expiresAt: NOON + 365 * DAY_MS,
    })
  })

  it('can narrow the scopes of its own tokens only', async () => {
    const { account, grant } = await open()
    const changes = { scopes: ['write', 'write'] }
    const less = issued(await refreshWith(account, grant, grant.refreshSecret, changes))
    expect(less.scopes).toEqual(['write'])
    expect(issued(await refreshWith(account, grant, less.refreshSecret)).scopes).toEqual([
      'read',
      'write',
    ])
  })

  it('can omit the resource', async () => {
    const { account, grant } = await open()
    const changes = { resource: undefined }
    const next = issued(await refreshWith(account, grant, grant.refreshSecret, changes))
    expect(next.resource).toBe('https://mcp.example.com/mcp')
  })

  it('can replace the props of every token of the grant', async () => {
    const { account, grant } = await open()
    const newProps = { upstream: 'token-2' }
    const next = issued(await refreshWith(account, grant, grant.refreshSecret, { newProps }))
    expect(next.props).toEqual(newProps)
    expect(await account.check(grant.grantId, grant.grantKey)).toEqual({
      active: true,
      props: newProps,
    })
    expect(issued(await refreshWith(account, grant, next.refreshSecret)).props).toEqual(newProps)
  })

  it.each(Object.keys(WRONG))('does not use up the token with %s', async (what) => {
    verifies('oauth-2-1-grants/refresh-tokens-are-bound')
    verifies('oauth-2-1-grants/refresh-tokens-are-checked')
    const { account, grant } = await open()
    const [wrong, refusal] = WRONG[what] ?? []
    const request = refreshOf(grant, grant.refreshSecret)
    expect(await account.refresh({ ...request, ...wrong })).toEqual(refusal)
    advance(DAY_MS)
    // If the token had been used up, this would be a reuse.
    expect(await account.refresh(request)).toMatchObject({ grantId: grant.grantId })
  })

  it('with the secret of another grant changes neither grant', async () => {
    const { account, grant } = await open()
    const other = await connect(account)
    expect(await refreshWith(account, grant, other.refreshSecret)).toEqual(INVALID_GRANT)
    for (const each of [grant, other]) {
      expect(await refreshWith(account, each, each.refreshSecret)).toMatchObject({
        grantId: each.grantId,
      })
    }
  })

  it('is refused before the code is redeemed', async () => {
    const { account, grant } = await open()
    const { grantId } = await account.approve(GRANT)
    const request = { ...refreshOf(grant, grant.refreshSecret), grantId }
    expect(await account.refresh(request)).toEqual(INVALID_GRANT)
  })
})

describe('a rotated refresh token', () => {
  it('returns the same successor within the grace, however often it is used', async () => {
    const { account, grant } = await open()
    const answers = []
    for (const wait of [0, 0, 15 * SECOND_MS, 15 * SECOND_MS - 1]) {
      advance(wait)
      answers.push(issued(await refreshWith(account, grant, grant.refreshSecret)))
    }
    expect(new Set(answers.map(({ refreshSecret }) => refreshSecret)).size).toBe(1)
    expect(new Set(answers.map(({ refreshExpiresAt }) => refreshExpiresAt)).size).toBe(1)
    const [{ refreshSecret } = { refreshSecret: '' }] = answers
    expect(await refreshWith(account, grant, refreshSecret)).toMatchObject({ subject: 'ada' })
  })

  it('revokes the grant after the grace, and names it', async () => {
    const { account, grant } = await open()
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    advance(30 * SECOND_MS)
    expect(await refreshWith(account, grant, grant.refreshSecret)).toEqual({
      refused: 'invalid_grant',
      reason: 'refresh-token-reused',
      revoked: grant.grantId,
    })
    expect(await isActive(account, grant)).toBe(false)
    expect(await refreshWith(account, grant, next.refreshSecret)).toEqual(INVALID_GRANT)
  })

  it('does not replace props that were written since their version', async () => {
    const { account, grant } = await open()
    const request = refreshOf(grant, grant.refreshSecret)
    const state = await account.peekRefresh(request)
    const propsVersion = state?.propsVersion
    await account.setProps(grant.grantId, grant.grantKey, { upstream: 'token-2' })
    const newProps = { upstream: 'token-3' }
    const answer = await account.refresh({ ...request, newProps, propsVersion })
    expect(issued(answer).props).toEqual({ upstream: 'token-2' })
    const { props } = await account.check(grant.grantId, grant.grantKey)
    expect(props).toEqual({ upstream: 'token-2' })
  })

  it('replaces props that still have their version', async () => {
    const { account, grant } = await open()
    const request = refreshOf(grant, grant.refreshSecret)
    const propsVersion = (await account.peekRefresh(request))?.propsVersion
    const newProps = { upstream: 'token-3' }
    const answer = await account.refresh({ ...request, newProps, propsVersion })
    expect(issued(answer).props).toEqual(newProps)
  })

  it('can replace the props within the grace', async () => {
    const { account, grant } = await open()
    await refreshWith(account, grant, grant.refreshSecret)
    const newProps = { upstream: 'token-2' }
    await refreshWith(account, grant, grant.refreshSecret, { newProps })
    expect((await account.check(grant.grantId, grant.grantKey)).props).toEqual(newProps)
  })
})

describe('a refresh token and DPoP', () => {
  const confidential = { ...GRANT.client, authMethod: 'private_key_jwt' } as const

  it('is bound to the first key for a public client', async () => {
    const { account, grant } = await open()
    const proven = { dpopJkt: 'key-1' }
    const bound = issued(await refreshWith(account, grant, grant.refreshSecret, proven))
    expect(bound.dpopJkt).toBe('key-1')
    for (const dpopJkt of ['key-2', undefined]) {
      const request = refreshWith(account, grant, bound.refreshSecret, { dpopJkt })
      expect(await request).toEqual(INVALID_GRANT)
    }
    const next = issued(await refreshWith(account, grant, bound.refreshSecret, proven))
    expect(next.dpopJkt).toBe('key-1')
  })

  it('is bound to the key of the code for a public client', async () => {
    const account = openAccounts().accounts.of('ada')
    const grant = await connect(account, { dpopJkt: 'key-1' })
    expect(await refreshWith(account, grant, grant.refreshSecret)).toEqual(INVALID_GRANT)
    const proven = { dpopJkt: 'key-1' }
    expect(await refreshWith(account, grant, grant.refreshSecret, proven)).toMatchObject(proven)
  })

  it('does not revoke the grant when a rotated token is used with another key', async () => {
    const account = openAccounts().accounts.of('ada')
    const grant = await connect(account, { dpopJkt: 'key-1' })
    await refreshWith(account, grant, grant.refreshSecret, { dpopJkt: 'key-1' })
    advance(DAY_MS)
    const stolen = refreshWith(account, grant, grant.refreshSecret, { dpopJkt: 'key-2' })
    expect(await stolen).toEqual(INVALID_GRANT)
    expect(await isActive(account, grant)).toBe(true)
  })

  it('is not bound to a key for a confidential client', async () => {
    const account = openAccounts().accounts.of('ada')
    const grant = await connect(account, { client: confidential, dpopJkt: 'key-1' })
    const proven = { dpopJkt: 'key-2' }
    const next = issued(await refreshWith(account, grant, grant.refreshSecret, proven))
    expect(next.dpopJkt).toBe('key-2')
    const plain = issued(await refreshWith(account, grant, next.refreshSecret))
    expect(plain.dpopJkt).toBeUndefined()
  })
})

describe('a preview of a refresh', () => {
  it('returns the state of the grant and changes nothing', async () => {
    const { account, grant } = await open()
    const request = { ...refreshOf(grant, grant.refreshSecret), scopes: ['read'] }
    const state = {
      grantId: grant.grantId,
      subject: 'ada',
      client: GRANT.client,
      resource: 'https://mcp.example.com/mcp',
      scopes: ['read'],
      props: { upstream: 'token-1' },
      propsVersion: expect.stringMatching(/^[\w-]{16}$/),
    }
    expect(await account.peekRefresh(request)).toEqual({ ...state, isRepeat: false })
    advance(DAY_MS)
    expect(await account.peekRefresh(request)).toEqual({ ...state, isRepeat: false })
    await account.refresh(request)
    expect(await account.peekRefresh(request)).toEqual({ ...state, isRepeat: true })
    advance(DAY_MS)
    expect(await account.peekRefresh(request)).toBeUndefined()
    expect(await isActive(account, grant)).toBe(true)
  })
})

describe('the inspection of a refresh token', () => {
  it('is active while a refresh would succeed, and inactive while only the grant is live', async () => {
    const { account, grant } = await open()
    const stateOf = (secret: string) => account.inspectRefresh(grant.grantId, secret)
    const known = { subject: 'ada', client: GRANT.client, scopes: ['read', 'write'] }
    const soon = { ...known, expiresAt: NOON + 60 * DAY_MS }
    expect(await stateOf(grant.refreshSecret)).toEqual({ ...soon, active: true })
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    expect(await stateOf(grant.refreshSecret)).toEqual({ ...soon, active: true })
    advance(30 * SECOND_MS)
    expect(await stateOf(grant.refreshSecret)).toEqual({ ...soon, active: false })
    expect(await stateOf(next.refreshSecret)).toEqual({ ...soon, active: true })
    // An inspection does not use up the token.
    expect(await refreshWith(account, grant, next.refreshSecret)).toMatchObject({
      subject: 'ada',
    })
    await account.revoke(grant.grantId)
    expect(await stateOf(next.refreshSecret)).toBeUndefined()
  })
})
