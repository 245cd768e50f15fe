/** The second of two resources of one issuer. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { createApp, signIn } from './app.ts'
import { useProtectedServer } from './protected-server.ts'

const server = useProtectedServer()

const other = () => `${server.origin}/other`

describe.each(['v1', 'v2', 'v2, modern'] as const)('%s', (kind) => {
  test('discovers and registers for the second resource', async () => {
    verifies('authorization/resource-parameter')
    const app = createApp(kind, { url: other() })
    expect(await app.connect()).toBe('redirected')
    expect(app.requests()).toEqual([
      'POST /other 401',
      'GET /.well-known/oauth-protected-resource/other 200',
      'GET /.well-known/oauth-authorization-server 200',
      'POST /register 201',
    ])
    expect(app.provider.pending.url.searchParams.get('resource')).toBe(other())
  })

  test('refreshes for the second resource', async () => {
    verifies('authorization/resource-parameter')
    const app = await signIn(kind, { url: other() })
    app.provider.invalidateAccessToken()
    expect((await app.call('whoami')).structuredContent.subject).toBe('owner')
  })
})
