/** Open state of browsers: cookies, consent pages, and remembered consents. */
import { disconnect, openAccount, signOut } from '../../clients/auth/account-page.ts'
import { openBrowser, PASSPHRASES, type Page } from '../../clients/auth/browser.ts'
import {
  authorizeUrl,
  codeIn,
  createVerifier,
  type HeldClient,
  obtainTokens,
  redeem,
  register,
  statusWith,
  tokensIn,
} from '../../support/node/oauth-client.ts'
import { callTool, withToken } from '../calls.ts'
import { openState } from '../open-state.ts'

type Cookies = Readonly<Record<string, string>>

interface HeldPage {
  readonly url: string
  readonly html: string
}

export const BROWSER_STATES = {
  'remembered consent': openState<{ client: HeldClient; cookies: Cookies }>({
    title: 'approves a request that was approved before, and shows the page for any other',
    async leave(server, label) {
      const client = await register(server, {
        client_name: label,
        redirect_uris: ['https://app.example/callback'],
        token_endpoint_auth_method: 'client_secret_post',
      })
      const browser = openBrowser(server)
      await obtainTokens(server, client, { browser })
      return { client, cookies: browser.cookies() }
    },
    async resume(server, { client, cookies }, expect) {
      const browser = openBrowser({ ...server, cookies })
      const verifier = createVerifier()
      const { location } = await browser.open(authorizeUrl(server, client, verifier))
      const tokens = tokensIn(await redeem(server, client, { code: codeIn(location), verifier }))
      const { result } = await callTool(withToken(server, tokens.access), 'whoami')
      expect(result?.structuredContent).toMatchObject({ subject: 'owner' })
      const narrower = await browser.open(authorizeUrl(server, client, verifier, 'read'))
      expect([narrower.status, narrower.location]).toEqual([200, undefined])
    },
  }),

  'open consent page': openState<{
    client: HeldClient
    verifier: string
    cookies: Cookies
    page: HeldPage
  }>({
    title: 'accepts the answer to an open consent page once',
    async leave(server, label) {
      const client = await register(server, { client_name: label })
      const browser = openBrowser(server)
      const verifier = createVerifier()
      const { url, html } = await browser.open(authorizeUrl(server, client, verifier))
      return { client, verifier, cookies: browser.cookies(), page: { url: url.href, html } }
    },
    async resume(server, { client, verifier, cookies, page: held }, expect) {
      const browser = openBrowser({ ...server, cookies })
      const page: Page = {
        url: new URL(held.url),
        html: held.html,
        status: 200,
        location: undefined,
      }
      const answer = { decision: 'approve', passphrase: PASSPHRASES.guest }
      const { location } = await browser.submit(page, '/authorize/decision', answer)
      const tokens = tokensIn(await redeem(server, client, { code: codeIn(location), verifier }))
      const { result } = await callTool(withToken(server, tokens.access), 'whoami')
      expect(result?.structuredContent).toMatchObject({ subject: 'guest' })
      const again = await browser.submit(page, '/authorize/decision', answer)
      expect([again.status, again.location]).toEqual([400, undefined])
    },
  }),

  'signed-in browser': openState<{ names: [string, string]; access: string; cookies: Cookies }>({
    title: 'lists the connected apps of a signed-in browser, and disconnects one',
    async leave(server, label) {
      const browser = openBrowser(server)
      const names: [string, string] = [`${label} 1`, `${label} 2`]
      const [one, other] = names
      await obtainTokens(server, await register(server, { client_name: one }), { browser })
      const client = await register(server, { client_name: other })
      const { access } = await obtainTokens(server, client, { browser, scope: 'read' })
      return { names, access, cookies: browser.cookies() }
    },
    async resume(server, { names, access, cookies }, expect) {
      const browser = openBrowser({ ...server, cookies })
      const account = await openAccount(browser, server.origin)
      const [one, other] = names
      const permissionsOf = (name: string) =>
        account.apps.filter((app) => app.name === name).map(({ permissions }) => permissions.length)
      expect([permissionsOf(one), permissionsOf(other)]).toEqual([[2], [1]])
      expect(await statusWith(server, access)).toBe(200)
      const { apps } = await disconnect(browser, account, other)
      expect(apps.map(({ name }) => name)).toContain(one)
      expect(apps.map(({ name }) => name)).not.toContain(other)
      expect(await statusWith(server, access)).toBe(401)
    },
  }),

  'signed-out browser': openState<Cookies>({
    title: 'does not accept the copy of a sign-in cookie that was ended',
    async leave(server, label) {
      const browser = openBrowser(server)
      await obtainTokens(server, await register(server, { client_name: label }), { browser })
      const cookies = browser.cookies()
      await signOut(browser, await openAccount(browser, server.origin))
      return cookies
    },
    async resume(server, cookies, expect) {
      const browser = openBrowser({ ...server, cookies })
      const { html } = await browser.open(new URL('/account', server.origin))
      expect(html).not.toContain('<h1>Connected apps</h1>')
      expect(html).toContain('name="passphrase"')
    },
  }),
}
