/** Who may come in, for the other ways to sign in: a login of the author, personal access tokens and API keys. */
import { describe, expect, it } from 'vitest'
import { type EmbeddedOptions, ownLogin, type Person } from '../../../src/auth/index.ts'
import {
  ADA_KEY,
  ADA_NEW_KEY,
  callerOf,
  openWithKeys,
  replaceKey,
  signInWithKey,
  tokensWithKey,
} from './support/api-keys.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, statusWith } from './support/client.ts'
import { advance, type Deployment, openDeployment } from './support/deployment.ts'
import { createToken, openWithTokens, sendTokenForm } from './support/personal-tokens.ts'

describe('a login of the author', () => {
  async function finishWith(person: Partial<Person>, options: Partial<EmbeddedOptions>) {
    const server = openDeployment({
      ...options,
      login: ownLogin({
        name: 'Elsewhere',
        begin: async ({ state }) => new URL(`https://elsewhere.example/?state=${state}`),
        finish: async () => ({ subject: 'ada', name: 'Ada', props: undefined, ...person }),
      }),
    })
    const browser = new Browser(server)
    const page = await (await AuthClient.register(server)).authorize(browser)
    const { location } = await browser.decide(page, 'approve')
    return browser.get(`/authorize/callback${new URL(location ?? '').search}`)
  }

  it('returns the attributes that an allow-list compares', async () => {
    const allow = { groups: ['admins'] }
    expect((await finishWith({ groups: ['admins'] }, { allow })).status).toBe(303)
    expect((await finishWith({ groups: ['staff'] }, { allow })).status).toBe(403)
    expect((await finishWith({}, { allow })).status).toBe(403)
  })

  it('that returns one text in place of a list of groups is answered with 500', async () => {
    const groups = 'admins' as unknown as string[]
    expect((await finishWith({ groups }, { allow: { groups: ['admins'] } })).status).toBe(500)
  })
})

describe('a personal access token', () => {
  it('has only the scopes that its person may have, now and later', async () => {
    let scopes: readonly string[] | undefined = ['read']
    const server = openWithTokens({ scopesOf: () => scopes })
    const browser = new Browser(server)
    await browser.signIn()
    const token = await createToken(browser, { 'scope read': 'yes', 'scope write': 'yes' })
    expect(await scopesAt(server, token)).toEqual(['read'])
    scopes = ['write']
    advance(30_000)
    expect(await scopesAt(server, token)).toEqual([])
    scopes = undefined
    advance(30_000)
    expect(await statusWith(server, token)).toBe(401)
  })

  it('is not created for a person who may not come in any more', async () => {
    let scopes: readonly string[] | undefined = ['read']
    const server = openWithTokens({ scopesOf: () => scopes })
    const browser = new Browser(server)
    await browser.signIn()
    scopes = undefined
    const page = await sendTokenForm(browser)
    expect(page.status).toBe(403)
    expect(page.html).toContain('may not use this server')
    expect((await browser.get('/account')).html).not.toContain('name="token" value=')
  })
})

describe('an API key', () => {
  it('brings the attributes of its owner, which stay when the key is replaced', async () => {
    const { service, server } = openWithKeys({ allow: { groups: ['staff'] } })
    service.owners.set(ADA_KEY, { subject: 'ada', groups: ['staff'] })
    service.owners.set(ADA_NEW_KEY, { subject: 'ada', groups: ['staff'], props: { plan: 'new' } })
    const client = await AuthClient.register(server)
    const { access } = await tokensWithKey(client, ADA_KEY)
    const browser = await signInWithKey(server, ADA_KEY)
    await replaceKey(browser, ADA_NEW_KEY)
    advance(30_000)
    expect(await statusWith(server, access)).toBe(200)
  })

  it('whose owner has no such group is refused', async () => {
    const { server } = openWithKeys({ allow: { groups: ['staff'] } })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    expect((await browser.decide(page, 'approve', { api_key: ADA_KEY })).status).toBe(403)
  })
})

/** The scopes of the caller, as the tool `caller` of a test server returns them. */
async function scopesAt(server: Deployment, token: string): Promise<unknown> {
  return (await callerOf(server, token)).scopes
}
