/** `GET /` of a server with an authorization server: for strangers and for people who are signed in. */
// features: landing-page
import { describe, expect, it } from 'vitest'
import { FullServer } from '../../support/full-server.ts'
import { Browser, formOf } from './support/browser.ts'
import { AuthClient } from './support/client.ts'
import { GUEST_PASSPHRASE, ORIGIN, openDeployment } from './support/deployment.ts'

function createServer({ subject, scopes }: { subject?: string; scopes?: readonly string[] } = {}) {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool(`list_${subject ?? 'public'}_${scopes?.join('_') ?? ''}`, {}, () => '')
  return server
}

const open = (app = {}) => openDeployment({}, { app, factory: ({ auth }) => createServer(auth) })

describe('the landing page of a server with authorization', () => {
  it('shows a stranger the scopes and the URL, and no lists', async () => {
    const page = await new Browser(open()).get('/')
    expect(page.status).toBe(200)
    for (const text of [
      '<pre>https://mcp.example.com/mcp</pre>',
      'Change notes',
      'You sign in when your client connects',
      'codex mcp login notes',
      '<a class="button" href="https://mcp.example.com/account">Sign in</a>',
    ]) {
      expect(page.html).toContain(text)
    }
    expect(page.html).not.toContain('list_')
    expect(page.headers.get('vary')).toBe('accept, cookie')
  })

  it('has the configured origin when the request has another host', async () => {
    const server = open()
    const response = await server.fetch('https://other.example.com/')
    expect(await response.text()).toContain('<pre>https://mcp.example.com/mcp</pre>')
  })

  it('shows a person who is signed in what the app that they used last may do', async () => {
    const server = open()
    const browser = new Browser(server)
    await browser.signIn()
    expect((await browser.get('/')).html).not.toContain('list_')
    const client = await AuthClient.register(server)
    await client.tokens({ scope: 'read' })
    const page = await browser.get('/')
    expect(page.html).toContain('list_owner_read')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('etag')).toBeNull()
    const other = new Browser(server)
    await other.signIn(GUEST_PASSPHRASE)
    expect((await other.get('/')).html).not.toContain('list_')
    expect((await new Browser(server).get('/')).html).not.toContain('list_')
  })

  it.each<[string, object, string, boolean]>([
    ['whose only app is connected to another path', { otherPaths: ['/other'] }, '/other', false],
    ['who has signed out', {}, '/mcp', true],
  ])('shows nothing of a person %s', async (_, app, path, leaves) => {
    const server = open(app)
    const browser = new Browser(server)
    await browser.signIn()
    const client = await AuthClient.register(server)
    await client.tokens({ scope: 'read', resource: `${ORIGIN}${path}` })
    const copy = browser.at(server)
    if (leaves) await browser.post('/logout', formOf(await browser.get('/account')))
    expect((await copy.get('/')).html).not.toContain('list_')
  })

  it('shows everyone the lists of an anonymous caller when the owner says so', async () => {
    const page = await new Browser(open({ landingPage: { lists: 'everyone' } })).get('/')
    expect(page.html).toContain('list_public_')
  })

  it('shows a forged sign-in no lists', async () => {
    const server = open()
    const response = await server.fetch(`${ORIGIN}/`, {
      headers: { cookie: '__Host-edgeway-login=forged' },
    })
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain('list_')
  })
})
