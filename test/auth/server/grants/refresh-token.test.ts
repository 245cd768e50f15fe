import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import type { AuthHooks } from '../../../../src/auth/index.ts'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, reasonsOf, refusalOf, refusalWith } from '../support/answers.ts'
import { AuthClient, statusWith, tokensOf } from '../support/client.ts'
import { advance, openDeployment } from '../support/deployment.ts'

const INVALID_GRANT = { status: 400, error: 'invalid_grant' }

async function open(scope?: string) {
  const server = openDeployment()
  const client = await AuthClient.register(server)
  return { server, client, tokens: await client.tokens({ scope }) }
}

describe('a refresh token', () => {
  it('is exchanged for an access token and the next refresh token', async () => {
    verifies('authorization-security/refresh-token-rotation', 'oauth-2-1-endpoints/no-store')
    verifies('oauth-2-0/pragma')
    const { server, client, tokens } = await open()
    const body = await bodyOf(await client.refresh(tokens.refresh))
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 86_400,
      scope: 'read write',
      refresh_token: expect.stringMatching(/^[\w.-]+$/),
    })
    expect(body.refresh_token).not.toBe(tokens.refresh)
    expect(await statusWith(server, String(body.access_token))).toBe(200)
    expect((await client.refresh(String(body.refresh_token))).status).toBe(200)
  })

  it('gives the same successor again within 30 seconds', async () => {
    const { client, tokens } = await open()
    const first = await tokensOf(await client.refresh(tokens.refresh))
    advance(29_999)
    const again = await tokensOf(await client.refresh(tokens.refresh))
    expect(again.refresh).toBe(first.refresh)
    expect((await client.refresh(again.refresh)).status).toBe(200)
  })

  it('is rejected after 30 seconds with invalid_grant and ends the grant', async () => {
    verifies('authorization-security/oauth-2-1-security')
    verifies('authorization-security/refresh-token-rotation')
    verifies('oauth-2-1-clients/unauthenticated-clients')
    verifies('oauth-2-1-grants/refresh-tokens-are-checked')
    verifies('oauth-2-1-grants/replay-of-refresh-tokens')
    verifies('oauth-security-practice/refresh-tokens-of-public-clients')
    const { server, client, tokens } = await open()
    const next = await tokensOf(await client.refresh(tokens.refresh))
    advance(30_000)
    expect(await refusalOf(await client.refresh(tokens.refresh))).toEqual(INVALID_GRANT)
    expect(await statusWith(server, next.access)).toBe(401)
    expect(await refusalOf(await client.refresh(next.refresh))).toEqual(INVALID_GRANT)
    expect(reasonsOf(server)).toEqual(['refresh-token-reused', 'grant-revoked'])
  })

  it.each([
    ['without a refresh token', undefined, 'invalid_request'],
    ['with an empty refresh token', '', 'invalid_request'],
    ['with a refresh token that was made up', 'made-up', 'invalid_grant'],
  ])('is required: a request %s is rejected', async (_, refresh_token, error) => {
    verifies('oauth-2-1-endpoints/empty-parameters')
    verifies('oauth-2-1-grants/refresh-tokens-cannot-be-forged')
    verifies('oauth-2-1-grants/refresh-tokens-are-checked')
    const { client } = await open()
    expect(await refusalOf(await client.refresh('', { refresh_token }))).toEqual(refusalWith(error))
  })

  it('is rejected with invalid_grant in place of an access token, and the reverse', async () => {
    const { server, client, tokens } = await open()
    expect(await statusWith(server, tokens.refresh)).toBe(401)
    expect(await refusalOf(await client.refresh(tokens.access))).toEqual(INVALID_GRANT)
  })
})

describe('the scopes of a refresh of a grant for a scope that includes others', () => {
  const scopes = {
    read: 'Read notes',
    write: { description: 'Change notes', includes: ['read'] },
    admin: { description: 'Everything', includes: ['write'] },
  }
  const openFor = async (scope: string, hooks: AuthHooks = {}) => {
    const server = openDeployment({ scopes, hooks })
    const client = await AuthClient.register(server)
    const { refresh } = await client.tokens({ scope })
    return { client, refresh }
  }

  it.each([
    ['the included scope', 'write', 'read', 'read'],
    ['the scope that includes it, which is wanted too', 'write', 'read write', 'write'],
    ['a scope of the scope that is included', 'admin', 'read', 'read'],
    ['the granted scope of its own', 'read admin', 'read', 'read'],
  ])('can be %s', async (_, granted, scope, issued) => {
    const { client, refresh } = await openFor(granted)
    const narrowed = await tokensOf(await client.refresh(refresh, { scope }))
    expect(narrowed.scope).toBe(issued)
    expect(decodeJwt(narrowed.access).scope).toBe(issued)
    expect((await tokensOf(await client.refresh(narrowed.refresh))).scope).toBe(granted)
  })

  it('can be the included scope, which the hook of the author receives', async () => {
    const seen: (readonly string[])[] = []
    const onRefresh: AuthHooks['onRefresh'] = ({ scopes }) => {
      seen.push(scopes)
      return {}
    }
    const { client, refresh } = await openFor('write', { onRefresh })
    expect((await tokensOf(await client.refresh(refresh, { scope: 'read' }))).scope).toBe('read')
    expect(seen).toEqual([['read']])
  })

  it.each(['admin', 'read admin', 'write admin'])(
    'cannot be broader: %s is rejected with invalid_scope, and the token is not spent',
    async (scope) => {
      verifies('oauth-2-1-grants/refresh-scope')
      const { client, refresh } = await openFor('write')
      const refused = await refusalOf(await client.refresh(refresh, { scope }))
      expect(refused).toEqual(refusalWith('invalid_scope'))
      expect((await client.refresh(refresh)).status).toBe(200)
    },
  )
})

describe('the scopes of a refresh', () => {
  it.each([
    ['the granted ones when none is asked for', undefined, 'read write'],
    ['the granted ones for an empty scope', '', 'read write'],
    ['the granted ones for offline_access alone', 'offline_access', 'read write'],
    ['fewer when fewer are asked for', 'write', 'write'],
    ['those beside offline_access', 'write offline_access', 'write'],
    ['in the order of the grant', 'write read', 'read write'],
  ])('are %s', async (_, scope, granted) => {
    verifies('oauth-2-1-endpoints/scope-of-the-response')
    const { client, tokens } = await open()
    expect((await tokensOf(await client.refresh(tokens.refresh, { scope }))).scope).toBe(granted)
  })

  it('are all granted again after a refresh for fewer', async () => {
    verifies('oauth-2-1-grants/scope-of-the-next-refresh-token')
    const { client, tokens } = await open()
    const narrowed = await tokensOf(await client.refresh(tokens.refresh, { scope: 'read' }))
    expect((await tokensOf(await client.refresh(narrowed.refresh))).scope).toBe('read write')
  })

  it.each([
    ['a scope that was not granted', 'write'],
    ['a scope that was not granted beside one that was', 'read write'],
    ['a scope that does not exist', 'read notes'],
    ['a text that is no list of scopes', '"read"'],
    ['more than 1,024 characters', `read ${'x'.repeat(1020)}`],
  ])('are rejected with invalid_scope for %s, and the token is not spent', async (_, scope) => {
    verifies('oauth-2-1-endpoints/refresh-tokens-keep-scope-and-resource')
    verifies('oauth-2-1-grants/refresh-scope', 'oauth-security-practice/refresh-tokens-keep-scope')
    const { client, tokens } = await open('read')
    expect(await refusalOf(await client.refresh(tokens.refresh, { scope }))).toEqual(
      refusalWith('invalid_scope'),
    )
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })
})
