/** Refresh tokens: their rotation, and the scopes and resources of each refresh. */
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import type { AuthHooks } from '../../../../src/auth/index.ts'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, reasonsOf } from '../support/answers.ts'
import type { Fields } from '../support/browser.ts'
import { statusWith, tokensOf } from '../support/client.ts'
import { advance } from '../support/deployment.ts'
import { expectRefusal, issue, open, responseText, type Setting } from '../support/flow.ts'

const MCP = 'https://mcp.example.com/mcp'
const OTHER = 'https://mcp.example.com/other'

async function openTokens(setting: Setting = {}, changes: Fields = {}) {
  const opened = await open(setting)
  return { ...opened, tokens: await opened.client.tokens(changes) }
}

describe('a refresh token', () => {
  it('is exchanged for an access token and the next refresh token', async () => {
    verifies('authorization-security/refresh-token-rotation')
    const { server, client, tokens } = await openTokens()
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

  it('gives the same successor again within 30 seconds, and then ends the grant', async () => {
    verifies('authorization-security/oauth-2-1-security')
    verifies('oauth-2-1-clients/unauthenticated-clients')
    verifies('oauth-2-1-grants/replay-of-refresh-tokens')
    verifies('oauth-security-practice/refresh-tokens-of-public-clients')
    const { server, client, tokens } = await openTokens()
    const first = await tokensOf(await client.refresh(tokens.refresh))
    advance(29_999)
    const again = await tokensOf(await client.refresh(tokens.refresh))
    expect(again.refresh).toBe(first.refresh)
    const next = await tokensOf(await client.refresh(again.refresh))
    advance(1)
    await expectRefusal(client.refresh(tokens.refresh), 'invalid_grant')
    expect(await statusWith(server, next.access)).toBe(401)
    await expectRefusal(client.refresh(next.refresh), 'invalid_grant')
    expect(reasonsOf(server)).toEqual(['refresh-token-reused', 'grant-revoked'])
  })

  it('is rejected with invalid_grant in place of an access token, and the reverse', async () => {
    const { server, client, tokens } = await openTokens()
    expect(await statusWith(server, tokens.refresh)).toBe(401)
    await expectRefusal(client.refresh(tokens.access), 'invalid_grant')
  })
})

describe('a refresh of a grant for /other with the scope read', () => {
  it.each<[string, string, Fields]>([
    ['another resource', 'invalid_target', { resource: MCP }],
    ['a resource that is not served', 'invalid_target', { resource: 'https://evil.example' }],
    ['a scope that was not granted', 'invalid_scope', { scope: 'write' }],
    ['a scope beside the granted one', 'invalid_scope', { scope: 'read write' }],
    ['a scope that does not exist', 'invalid_scope', { scope: 'read notes' }],
    ['a text that is no list of scopes', 'invalid_scope', { scope: '"read"' }],
    ['more than 1,024 characters', 'invalid_scope', { scope: `read ${'x'.repeat(1020)}` }],
    ['no refresh token', 'invalid_request', { refresh_token: undefined }],
    ['an empty refresh token', 'invalid_request', { refresh_token: '' }],
    ['a refresh token that was made up', 'invalid_grant', { refresh_token: 'made-up' }],
  ])('with %s is rejected with %s, and does not spend the token', async (_, error, changes) => {
    verifies('oauth-2-1-endpoints/refresh-tokens-keep-scope-and-resource')
    verifies('oauth-2-1-grants/refresh-scope', 'oauth-security-practice/refresh-tokens-keep-scope')
    verifies('oauth-2-1-grants/refresh-tokens-cannot-be-forged')
    verifies('oauth-2-1-grants/refresh-tokens-are-checked')
    const app = { otherPaths: ['/other'] }
    const { client, tokens } = await openTokens({ app }, { resource: OTHER, scope: 'read' })
    await expectRefusal(client.refresh(tokens.refresh, changes), error)
    expect((await client.refresh(tokens.refresh, { resource: OTHER })).status).toBe(200)
  })
})

describe('the scopes of a refresh', () => {
  it.each([
    ['the granted ones when none is asked for', undefined, 'read write'],
    ['the granted ones for an empty scope', '', 'read write'],
    ['the granted ones for offline_access alone', 'offline_access', 'read write'],
    ['fewer when fewer are asked for', 'write', 'write'],
    ['those beside offline_access', 'write offline_access', 'write'],
    ['in the order of the grant', 'write read', 'read write'],
  ])('are %s, and all are granted again by the next one', async (_, scope, granted) => {
    verifies('oauth-2-1-endpoints/scope-of-the-response')
    verifies('oauth-2-1-grants/scope-of-the-next-refresh-token')
    const { client, text, response } = await issue({ refresh: { scope } })
    expect(text).toBe(`200 Bearer ${granted}`)
    const { refresh } = await tokensOf(response)
    expect(await responseText(await client.refresh(refresh))).toBe('200 Bearer read write')
  })
})

describe('the scopes of a refresh of a grant for a scope that includes others', () => {
  const scopes = {
    read: 'Read notes',
    write: { description: 'Change notes', includes: ['read'] },
    admin: { description: 'Everything', includes: ['write'] },
  }

  it.each([
    ['the included scope', 'write', 'read', 'read'],
    ['the scope that includes it, which is wanted too', 'write', 'read write', 'write'],
    ['a scope of the scope that is included', 'admin', 'read', 'read'],
    ['the granted scope of its own', 'read admin', 'read', 'read'],
  ])('can be %s', async (_, granted, scope, issued) => {
    const seen: (readonly string[])[] = []
    const onRefresh: AuthHooks['onRefresh'] = (event) => {
      seen.push(event.scopes)
      return {}
    }
    const { client, tokens } = await openTokens(
      { scopes, hooks: { onRefresh } },
      { scope: granted },
    )
    const narrowed = await tokensOf(await client.refresh(tokens.refresh, { scope }))
    expect([narrowed.scope, decodeJwt(narrowed.access).scope]).toEqual([issued, issued])
    expect(seen).toEqual([[issued]])
    expect((await tokensOf(await client.refresh(narrowed.refresh))).scope).toBe(granted)
  })

  it.each(['admin', 'read admin', 'write admin'])(
    'cannot be broader: %s is rejected with invalid_scope, and the token is not spent',
    async (scope) => {
      const { client, tokens } = await openTokens({ scopes }, { scope: 'write' })
      await expectRefusal(client.refresh(tokens.refresh, { scope }), 'invalid_scope')
      expect((await client.refresh(tokens.refresh)).status).toBe(200)
    },
  )
})
