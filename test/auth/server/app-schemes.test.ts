/** Editors and apps, whose callback has a scheme of their own: from the registration to the tokens. */
import { describe, expect, it } from 'vitest'
import { linkedErrorOf, messageOf } from './support/answers.ts'
import { Browser, type Fields } from './support/browser.ts'
import { AuthClient, codeOf, register, tokensOf } from './support/client.ts'
import { openDeployment, PASSPHRASE } from './support/deployment.ts'

const CALLBACKS = [
  'windsurf://codeium.windsurf/oauth',
  'vscodium://vscode.github-authentication/did-authenticate',
  'kiro://kiro.kiroAgent/authenticate-success',
  'zed://oauth/callback',
  'raycast://oauth?package_name=Extension',
  'myapp:/callback',
]

const open = async (redirect_uri: string, metadata: object = {}) =>
  AuthClient.register(openDeployment(), { redirect_uris: [redirect_uri], ...metadata })

describe('an app with a scheme of its own', () => {
  it.each(CALLBACKS)('registers %s, and connects after a page that warns', async (redirect_uri) => {
    const client = await open(redirect_uri)
    const browser = new Browser(client.server)
    const page = await client.authorize(browser, { redirect_uri })
    const scheme = redirect_uri.slice(0, redirect_uri.indexOf(':') + 1)
    expect(page.html).toContain('Allow this only if you have just started it yourself')
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${scheme};`)
    const approved = await browser.decide(page, 'approve', { passphrase: PASSPHRASE })
    const start = `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}`
    expect(approved.location?.slice(0, start.length)).toBe(start)
    const code = codeOf(approved)
    expect((await client.redeem(code, { redirect_uri: `${redirect_uri}/` })).status).toBe(400)
    const again = await client.code({ redirect_uri })
    expect((await tokensOf(await client.redeem(again, { redirect_uri }))).scope).toBe('read write')
  })

  it('connects also with a secret, which proves nothing of an app', async () => {
    const redirect_uri = 'windsurf://codeium.windsurf/oauth'
    const client = await open(redirect_uri, { token_endpoint_auth_method: 'client_secret_post' })
    const code = await client.code({ redirect_uri })
    expect((await client.redeem(code, { redirect_uri })).status).toBe(200)
  })

  const NEITHER = { code_challenge: undefined, code_challenge_method: undefined }
  it.each<[string, Fields]>([
    ['no challenge', NEITHER],
    ['a challenge of the method plain', { code_challenge_method: 'plain' }],
    ['a challenge without a method', { code_challenge_method: undefined }],
  ])('is refused with %s', async (_, changes) => {
    const redirect_uri = 'myapp://callback'
    const page = await (await open(redirect_uri)).authorize(undefined, { redirect_uri, ...changes })
    expect(linkedErrorOf(page).error).toBe('invalid_request')
  })

  it.each([
    ...['myapp://callback/', 'myapp://callback?x=1', 'myapp://CALLBACK', 'myapp://callback:1'],
    ...['myapp:/callback', 'myapp2://callback'],
  ])('is refused at %s, which is not what it has registered', async (redirect_uri) => {
    const client = await open('myapp://callback')
    const page = await client.authorize(undefined, { redirect_uri })
    expect([messageOf(page), page.html.includes('<a ')]).toEqual([400, false])
  })

  it.each([
    ['the strict rule of RFC 8252', { schemes: 'reversed-domain' }],
    ['the rule of MCP', { schemes: [] }],
  ] as const)('is refused at registration under %s', async (_, redirects) => {
    const server = openDeployment({ redirects })
    const response = await register(server, { redirect_uris: ['myapp://callback'] })
    const { error, error_description } = await response.json<Record<string, string>>()
    expect([response.status, error]).toEqual([400, 'invalid_redirect_uri'])
    expect(error_description).toContain('None of the redirect_uris is acceptable')
  })
})
