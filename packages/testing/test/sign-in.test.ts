/** The sign-in of `connect`: what ends it. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { embedded, passphrase } from '../../../src/auth/index.ts'
import { createEdgeway, McpServer } from '../../../src/index.ts'
import { connect } from '../src/index.ts'

describe('the sign-in of connect()', () => {
  it('ends when it is redirected an eleventh time', async () => {
    const login = passphrase({ people: { ada: 'correct horse battery staple' } })
    const auth = embedded({ origin: 'https://mcp.example.com', scopes: { read: 'Read' }, login })
    const app = createEdgeway(new McpServer({ name: 'notes', version: '1.0.0' }), { auth })
    let answers = 0
    const fetch: typeof app.fetch = (request, bindings, ctx) => {
      const isConsent = request.method === 'POST' && request.headers.has('origin')
      if (!isConsent && new URL(request.url).pathname !== '/again') {
        return app.fetch(request, bindings, ctx)
      }
      answers += 1
      return new Response(null, { status: 302, headers: { location: '/again' } })
    }
    const signingIn = connect({ fetch }, { env, url: 'https://mcp.example.com/mcp', signIn: true })
    await expect(signingIn).rejects.toThrow('The sign-in did not end after 10 redirects')
    expect(answers).toBe(11)
  })
})
