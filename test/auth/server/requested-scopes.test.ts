/** The scopes that a client asks for, and the scopes that it is granted. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { errorWith, linkedErrorOf, redirectOf, refusalOf, refusalWith } from './support/answers.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, REDIRECT_URI, statusWith, tokensOf } from './support/client.ts'
import { openDeployment } from './support/deployment.ts'
import { MACHINE, SECRET } from './support/static-clients.ts'

const SCOPES = {
  read: 'Read notes',
  write: 'Change notes',
  admin: { description: 'Everything', includes: ['read', 'write'] },
}

describe('the authorization endpoint', () => {
  it.each([
    ['the initial scopes to a request without scope', undefined, 'read write'],
    ['the initial scopes to a request with an empty scope', '', 'read write'],
    ['the initial scopes to a request for offline_access', 'offline_access', 'read write'],
    ['the scope that is asked for', 'read', 'read'],
    ['a scope that is not initial, when it is asked for', 'admin', 'admin'],
    ['each scope once', 'read write read', 'read write'],
    ['scopes with several spaces between them', 'read   write', 'read write'],
    ['the scopes that exist, beside others', 'read notes openid', 'read'],
    ['the scope beside offline_access', 'read offline_access', 'read'],
  ])('grants %s', async (_, scope, granted) => {
    verifies('oauth-2-1-clients/granted-scope-is-returned', 'oauth-2-1-clients/default-scope')
    verifies('oauth-2-1-endpoints/scope-of-the-response', 'jwt-access-tokens/claims-have-meaning')
    const client = await AuthClient.register(openDeployment({ scopes: SCOPES }))
    expect((await client.tokens({ scope })).scope).toBe(granted)
  })

  it.each([
    ['when none of the scopes exists', 'notes openid'],
    ['when a scope differs in case', 'Read'],
    ['when the text has a line break', 'read\nwrite'],
    ['when the text has quotes', '"read"'],
    ['when the text begins with a space', ' read'],
    ['when the text ends with a space', 'read '],
    ['when the text is not ASCII', 'réad'],
    ['when the text has 1,025 characters', `read ${'x'.repeat(1020)}`],
  ])('refuses with invalid_scope %s', async (_, scope) => {
    const client = await AuthClient.register(openDeployment({ scopes: SCOPES }))
    expect(linkedErrorOf(await client.authorize(undefined, { scope }))).toEqual(
      errorWith('invalid_scope'),
    )
  })

  it('accepts a scope of 1,024 characters', async () => {
    const client = await AuthClient.register(openDeployment({ scopes: SCOPES }))
    expect((await client.tokens({ scope: `read ${'x'.repeat(1019)}` })).scope).toBe('read')
  })

  it('grants nothing on a server without scopes, and shows the question', async () => {
    const client = await AuthClient.register(openDeployment({ scopes: {} }))
    expect((await client.tokens({ scope: 'openid' })).scope).toBe('')
  })

  it.each([
    ['', undefined],
    [' for offline_access', 'offline_access'],
  ])(
    'grants nothing to a request without scope%s on a server without initial scopes',
    async (_, scope) => {
      verifies('oauth-2-1-clients/default-scope')
      const server = openDeployment({
        scopes: { write: { description: 'Change', initial: false } },
      })
      const client = await AuthClient.register(server)
      const tokens = await client.tokens({ scope })
      expect(tokens.scope).toBe('')
      expect(await statusWith(server, tokens.access)).toBe(200)
      expect((await tokensOf(await client.refresh(tokens.refresh))).scope).toBe('')
      expect((await client.tokens({ scope: 'write' })).scope).toBe('write')
    },
  )

  it('limits a configured client to its scopes', async () => {
    const server = openDeployment({
      clients: [{ id: 'reader', redirectUris: [REDIRECT_URI], scopes: ['read'] }],
    })
    const reader = new AuthClient(server, 'reader')
    expect((await reader.tokens({ scope: 'read write' })).scope).toBe('read')
    expect(redirectOf(await reader.authorize(undefined, { scope: 'write' }))).toMatchObject({
      error: 'invalid_scope',
    })
  })

  it('does not limit a registered client to the scopes of its registration', async () => {
    const client = await AuthClient.register(openDeployment(), { scope: 'read' })
    expect((await client.tokens({ scope: 'read write' })).scope).toBe('read write')
  })

  it('lists the granted scopes on the consent page, and no others', async () => {
    const server = openDeployment({ scopes: SCOPES })
    const client = await AuthClient.register(server)
    const { html } = await client.authorize(new Browser(server), { scope: 'write unknown' })
    expect(html).toContain('Change notes')
    expect(html).not.toContain('Read notes')
    expect(html).not.toContain('unknown')
  })
})

describe('the token endpoint, for client credentials', () => {
  const open = (scopes?: readonly string[]) => {
    const server = openDeployment({ clients: [{ ...MACHINE, ...(scopes && { scopes }) }] })
    return new AuthClient(server, 'machine', SECRET)
  }
  const ask = (machine: AuthClient, scope: string | undefined) =>
    machine.token({ grant_type: 'client_credentials', scope })

  it.each([
    ['the initial scopes when none is asked for', undefined, undefined, 'read write'],
    ['the scope that is asked for', undefined, 'write', 'write'],
    ['the initial scopes that the client may have', ['read'], undefined, 'read'],
    ['the scopes that the client may have', ['read'], 'read write', 'read'],
  ])('grants %s', async (_, allowed, scope, granted) => {
    verifies('oauth-2-1-clients/default-scope')
    expect((await tokensOf(await ask(open(allowed), scope))).scope).toBe(granted)
  })

  it.each([
    ['a scope that the client may not have', ['read'], 'write'],
    ['a scope that does not exist', undefined, 'notes'],
    ['a scope with a backslash', undefined, 'read\\'],
  ])('rejects %s with invalid_scope', async (_, allowed, scope) => {
    expect(await refusalOf(await ask(open(allowed), scope))).toEqual(refusalWith('invalid_scope'))
  })
})
