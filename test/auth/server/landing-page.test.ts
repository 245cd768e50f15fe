/** `GET /` of a server with an authorization server: for strangers and for people who are signed in. */
// features: landing-page
import { describe, expect, it } from 'vitest'
import { FullServer } from '../../support/full-server.ts'
import { Browser } from './support/browser.ts'
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
    expect(page.html).toContain('<pre>https://mcp.example.com/mcp</pre>')
    expect(page.html).toContain('Change notes')
    expect(page.html).toContain('You sign in when your client connects')
    expect(page.html).toContain('codex mcp login notes')
    expect(page.html).toContain(
      '<a class="button" href="https://mcp.example.com/account">Sign in</a>',
    )
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

  it('shows a person nothing whose only app is connected to another path', async () => {
    const server = open({ otherPaths: ['/other'] })
    const browser = new Browser(server)
    await browser.signIn()
    const client = await AuthClient.register(server)
    await client.tokens({ scope: 'read', resource: `${ORIGIN}/other` })
    expect((await browser.get('/')).html).not.toContain('list_')
  })

  it('shows nothing of a person who has signed out', async () => {
    const server = open()
    const browser = new Browser(server)
    await browser.signIn()
    const client = await AuthClient.register(server)
    await client.tokens({ scope: 'read' })
    const copy = browser.at(server)
    const { html } = await browser.get('/account')
    const csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1]
    await browser.post('/logout', { csrf })
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
