/** Revocations of many grants at once: everyone, and one client. */
import { describe, expect, it } from 'vitest'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import { KEYRING_KEY } from '../../../durable-objects/keyring/shards.ts'
import { clientDigest } from '../../../src/ports/revocations.ts'
import { Browser, type Page } from './support/browser.ts'
import { AuthClient, codeOf, statusWith } from './support/client.ts'
import { advance, createBindings, type Deployment, openDeployment } from './support/deployment.ts'
import { createToken, openWithTokens } from './support/personal-tokens.ts'
import { OpenIdProvider } from './support/provider.ts'
import { answerCalls, OWN_KINDS, objectsIn } from './support/scoped-objects.ts'
import { MACHINE, SECRET } from './support/static-clients.ts'

/** Isolates read revocations this late. */
const LATE_MS = 10_000
/** What is issued for this long after a revocation ends too. */
const MARGIN_MS = 30_000

/** Revokes in another isolate. */
async function revoke({ bindings }: Deployment, clientId?: string): Promise<number | undefined> {
  const keyring = objectsIn<KeyringObject>(bindings, 'keyring').named(KEYRING_KEY)
  return keyring.revoke(clientId === undefined ? undefined : await clientDigest(clientId))
}

const signedIn = async (browser: Browser) =>
  (await browser.get('/account')).actions.includes('/logout')

describe('the revocation of everyone', () => {
  it('ends an access token ten seconds later, where every call checks its grant', async () => {
    const server = openDeployment({ limits: { grantCheckMaxAgeMs: 0 } })
    const { access } = await (await AuthClient.register(server)).tokens()
    expect(await statusWith(server, access)).toBe(200)
    await revoke(server)
    advance(LATE_MS)
    expect(await statusWith(server, access)).toBe(401)
  })

  it('ends an access token within forty seconds, with the default ages of a check', async () => {
    const server = openDeployment()
    const { access } = await (await AuthClient.register(server)).tokens()
    expect(await statusWith(server, access)).toBe(200)
    await revoke(server)
    advance(40_000)
    expect(await statusWith(server, access)).toBe(401)
  })

  it('refuses a refresh token and reports that its grant was revoked', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server)
    const { refresh } = await client.tokens()
    await revoke(server)
    advance(LATE_MS)
    expect((await client.refresh(refresh)).status).toBe(400)
    expect(server.events).toContainEqual(expect.objectContaining({ reason: 'grant-revoked' }))
  })

  it('ends the tokens of a refresh by an isolate that did not know of it yet', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server)
    const { refresh } = await client.tokens()
    await revoke(server)
    const response = await client.refresh(refresh)
    const { access_token, refresh_token } = await response.json<Record<string, string>>()
    expect(response.status).toBe(200)
    advance(LATE_MS)
    expect(await statusWith(server, access_token ?? '')).toBe(401)
    expect((await client.refresh(refresh_token ?? '')).status).toBe(400)
  })

  it('refuses an authorization code that was issued before it', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server)
    const code = await client.code()
    await revoke(server)
    advance(LATE_MS)
    expect((await client.redeem(code)).status).toBe(400)
  })

  it('ends a personal access token', async () => {
    const server = openWithTokens()
    const browser = new Browser(server)
    await browser.signIn()
    const token = await createToken(browser)
    expect(await statusWith(server, token)).toBe(200)
    await revoke(server)
    advance(40_000)
    expect(await statusWith(server, token)).toBe(401)
  })

  it('ends an access token without a grant', async () => {
    const server = openDeployment({ clients: [MACHINE] })
    const machine = new AuthClient(server, 'machine', SECRET)
    const token = async () => {
      const response = await machine.token({ grant_type: 'client_credentials' })
      return (await response.json<{ access_token: string }>()).access_token
    }
    const before = await token()
    expect(await statusWith(server, before)).toBe(200)
    await revoke(server)
    advance(40_000)
    expect(await statusWith(server, before)).toBe(401)
    expect(await statusWith(server, await token())).toBe(200)
  })

  it('ends the sign-in of a browser', async () => {
    const server = openDeployment()
    const browser = new Browser(server)
    await browser.signIn()
    expect(await signedIn(browser)).toBe(true)
    await revoke(server)
    advance(LATE_MS)
    expect(await signedIn(browser)).toBe(false)
  })

  it('ends what a stolen sign-in obtained from an isolate that did not know of it yet', async () => {
    const server = openDeployment()
    const browser = new Browser(server)
    await browser.signIn()
    expect(await signedIn(browser)).toBe(true)
    const client = await AuthClient.register(server)
    await revoke(server)
    const page = await client.authorize(browser)
    const code = codeOf(await browser.decide(page, 'approve'))
    const response = await client.redeem(code)
    const { access_token } = await response.json<Record<string, string>>()
    advance(40_000)
    expect(await statusWith(server, access_token ?? '')).toBe(401)
  })

  it('refuses the answer of a consent page that was shown before it', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    await revoke(server)
    advance(MARGIN_MS)
    const answered = await browser.decide(page, 'approve', {
      passphrase: 'correct horse battery staple',
    })
    expect(answered.location ?? '').not.toContain('code=')
  })

  it('refuses the return from a provider to which the browser was sent before it', async () => {
    const provider = await OpenIdProvider.start()
    const server = openDeployment({ login: provider.login() })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const sent: Page = await browser.decide(await client.authorize(browser), 'approve')
    const { callback } = await provider.visit(sent.location)
    await revoke(server)
    advance(MARGIN_MS)
    expect((await browser.get(callback)).status).toBe(400)
  })

  it('lets people sign in again after thirty seconds, and keeps what they obtain then', async () => {
    const server = openDeployment()
    const client = await AuthClient.register(server)
    await client.tokens()
    await revoke(server)
    advance(MARGIN_MS)
    const { access, refresh } = await client.tokens()
    advance(60_000)
    expect(await statusWith(server, access)).toBe(200)
    expect((await client.refresh(refresh)).status).toBe(200)
  })

  it('asks for consent again where a consent was remembered', async () => {
    const server = openDeployment({ clients: [MACHINE] })
    const client = new AuthClient(server, 'machine', SECRET)
    const asks = async () => {
      const browser = new Browser(server)
      await browser.signIn()
      const { location } = await browser.get(client.authorizePath(), { 'sec-fetch-site': 'none' })
      return location === null
    }
    const browser = new Browser(server)
    await browser.signIn()
    const page = await browser.get(client.authorizePath(), { 'sec-fetch-site': 'none' })
    codeOf(await browser.decide(page, 'approve'))
    expect(await asks()).toBe(false)
    await revoke(server)
    advance(MARGIN_MS)
    expect(await asks()).toBe(true)
  })

  it('does not move when it is repeated within thirty seconds', async () => {
    const server = openDeployment()
    const first = await revoke(server)
    advance(MARGIN_MS - 1)
    expect(await revoke(server)).toBe(first)
    advance(1)
    expect(await revoke(server)).toBe((first ?? 0) + MARGIN_MS)
  })

  it('is applied in every isolate, also to an account that another isolate has called', async () => {
    const here = openDeployment()
    const elsewhere = openDeployment({}, { bindings: here.bindings })
    const { access } = await (await AuthClient.register(here)).tokens()
    await revoke(here)
    advance(MARGIN_MS)
    const later = await (await AuthClient.register(here)).tokens()
    expect(await statusWith(elsewhere, access)).toBe(401)
    expect(await statusWith(elsewhere, later.access)).toBe(200)
  })
})

describe('the revocation of one client', () => {
  it('ends its grants with every person, and leaves those of other clients', async () => {
    const server = openDeployment()
    const [client, other] = [
      await AuthClient.register(server),
      await AuthClient.register(server, { client_name: 'Another client' }),
    ]
    const own = await client.tokens()
    const guest = await client.tokens({}, 'battery staple correct horse')
    const others = await other.tokens()
    await revoke(server, client.id)
    advance(40_000)
    expect(await statusWith(server, own.access)).toBe(401)
    expect(await statusWith(server, guest.access)).toBe(401)
    expect(await statusWith(server, others.access)).toBe(200)
    expect((await client.refresh(own.refresh)).status).toBe(400)
    expect((await other.refresh(others.refresh)).status).toBe(200)
  })

  it('is no longer accepted beyond a hundred clients, until everyone is revoked', async () => {
    const server = openDeployment()
    for (let index = 0; index < 100; index++) {
      expect(await revoke(server, `client-${index}`)).toBeTypeOf('number')
    }
    expect(await revoke(server, 'client-100')).toBeUndefined()
    expect(await revoke(server, 'client-0')).toBeTypeOf('number')
    await revoke(server)
    expect(await revoke(server, 'client-100')).toBeTypeOf('number')
  })
})

describe('the check of a grant', () => {
  const counted = () => {
    const bindings = createBindings()
    const calls: string[] = []
    const watched = answerCalls(bindings, ({ kind, method }, next) => {
      if (OWN_KINDS.includes(kind)) calls.push(method)
      return next()
    })
    return { bindings: watched, calls }
  }

  it('calls no object for a call whose check is cached, and the keyring at most every ten seconds', async () => {
    const { bindings, calls } = counted()
    const server = openDeployment({}, { bindings })
    const { access } = await (await AuthClient.register(server)).tokens()
    await statusWith(server, access)
    calls.length = 0
    for (let index = 0; index < 5; index++) await statusWith(server, access)
    expect(calls).toEqual([])
    advance(30_000)
    for (let index = 0; index < 5; index++) await statusWith(server, access)
    expect(calls.sort()).toEqual(['check', 'signingKeys'])
  })
})
