/** Revocations of many grants at once: everyone, and one client. */
import { describe, expect, it } from 'vitest'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import { KEYRING_KEY } from '../../../durable-objects/keyring/shards.ts'
import { clientDigest } from '../../../src/ports/revocations.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, codeOf, statusWith, tokensOf } from './support/client.ts'
import {
  advance,
  createBindings,
  type Deployment,
  GUEST_PASSPHRASE,
  openDeployment,
  PASSPHRASE,
} from './support/deployment.ts'
import { authorize, DIRECT, open } from './support/flow.ts'
import { createToken, openOwner } from './support/personal-tokens.ts'
import { OpenIdProvider } from './support/provider.ts'
import { answerCalls, OWN_KINDS, objectsIn } from './support/scoped-objects.ts'

/** Isolates read revocations this late. */
const LATE_MS = 10_000
/** What is issued for this long after a revocation ends too. */
const MARGIN_MS = 30_000
/** The default age of a check, and the time in which an isolate reads revocations. */
const CHECKED_MS = 40_000

/** Revokes in another isolate. */
async function revoke({ bindings }: Deployment, clientId?: string): Promise<number | undefined> {
  const keyring = objectsIn<KeyringObject>(bindings, 'keyring').named(KEYRING_KEY)
  return keyring.revoke(clientId === undefined ? undefined : await clientDigest(clientId))
}

const signedIn = async (browser: Browser) =>
  (await browser.get('/account')).actions.includes('/logout')

describe('the revocation of everyone', () => {
  const service = async () => {
    const { server, client } = await open({ kind: 'static' })
    const issue = async () =>
      (await tokensOf(await client.token({ grant_type: 'client_credentials' }))).access
    return { server, token: await issue(), next: issue }
  }
  const personal = async () => {
    const { server, browser } = await openOwner()
    return { server, token: await createToken(browser) }
  }
  const ofGrant = async (limits = {}) => {
    const { server, client } = await open({ limits })
    return { server, token: (await client.tokens()).access }
  }

  it.each([
    [
      'an access token, where every call checks its grant',
      LATE_MS,
      () => ofGrant({ grantCheckMaxAgeMs: 0 }),
    ],
    ['an access token, with the default ages of a check', CHECKED_MS, ofGrant],
    ['a personal access token', CHECKED_MS, personal],
    ['an access token without a grant', CHECKED_MS, service],
  ])('ends %s within %i ms', async (_, ms, openWith) => {
    const { server, token } = await openWith()
    expect(await statusWith(server, token)).toBe(200)
    await revoke(server)
    advance(ms)
    expect(await statusWith(server, token)).toBe(401)
  })

  it('keeps what a client obtains without a grant after it', async () => {
    const { server, next } = await service()
    await revoke(server)
    advance(CHECKED_MS)
    expect(await statusWith(server, await next())).toBe(200)
  })

  it('refuses codes and refresh tokens, and reports that their grant was revoked', async () => {
    const { server, client } = await open()
    const code = await client.code()
    const { refresh } = await client.tokens()
    await revoke(server)
    advance(LATE_MS)
    expect((await client.redeem(code)).status).toBe(400)
    expect((await client.refresh(refresh)).status).toBe(400)
    expect(server.events).toContainEqual(expect.objectContaining({ reason: 'grant-revoked' }))
  })

  it('ends the tokens of a refresh by an isolate that did not know of it yet', async () => {
    const { server, client } = await open()
    const { refresh } = await client.tokens()
    await revoke(server)
    const next = await tokensOf(await client.refresh(refresh))
    advance(LATE_MS)
    expect(await statusWith(server, next.access)).toBe(401)
    expect((await client.refresh(next.refresh)).status).toBe(400)
  })

  it('ends the sign-in of a browser, and what a stolen one obtained before an isolate knew of it', async () => {
    const { server, client, browser } = await open({ signedIn: true })
    expect(await signedIn(browser)).toBe(true)
    await revoke(server)
    const page = await client.authorize(browser)
    const { access } = await tokensOf(
      await client.redeem(codeOf(await browser.decide(page, 'approve'))),
    )
    advance(LATE_MS)
    expect(await signedIn(browser)).toBe(false)
    advance(MARGIN_MS)
    expect(await statusWith(server, access)).toBe(401)
  })

  it('refuses the answer of a consent page that was shown before it', async () => {
    const { server, browser, page } = await authorize()
    await revoke(server)
    advance(MARGIN_MS)
    const answered = await browser.decide(page, 'approve', { passphrase: PASSPHRASE })
    expect(answered.location ?? '').not.toContain('code=')
  })

  it('refuses the return from a provider to which the browser was sent before it', async () => {
    const provider = await OpenIdProvider.start()
    const { server, browser, page } = await authorize({ login: provider.login() })
    const { callback } = provider.visit((await browser.decide(page, 'approve')).location)
    await revoke(server)
    advance(MARGIN_MS)
    expect((await browser.get(callback)).status).toBe(400)
  })

  it('lets people sign in again after thirty seconds, and keeps what they obtain then', async () => {
    const { server, client } = await open()
    await client.tokens()
    await revoke(server)
    advance(MARGIN_MS)
    const { access, refresh } = await client.tokens()
    advance(60_000)
    expect(await statusWith(server, access)).toBe(200)
    expect((await client.refresh(refresh)).status).toBe(200)
  })

  it('asks for consent again where a consent was remembered', async () => {
    const { server, client, browser } = await open({ kind: 'static', signedIn: true })
    const ask = async (by: Browser) => by.get(client.authorizePath(), DIRECT)
    codeOf(await browser.decide(await ask(browser), 'approve'))
    const asks = async () => {
      const other = new Browser(server)
      await other.signIn()
      return (await ask(other)).location === null
    }
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
    const { server, client } = await open()
    const elsewhere = openDeployment({}, { bindings: server.bindings })
    const { access } = await client.tokens()
    await revoke(server)
    advance(MARGIN_MS)
    const later = await client.tokens()
    expect(await statusWith(elsewhere, access)).toBe(401)
    expect(await statusWith(elsewhere, later.access)).toBe(200)
  })
})

describe('the revocation of one client', () => {
  it('ends its grants with every person, and leaves those of other clients', async () => {
    const { server, client } = await open()
    const other = await AuthClient.register(server, { client_name: 'Another client' })
    const own = await client.tokens()
    const guest = await client.tokens({}, GUEST_PASSPHRASE)
    const others = await other.tokens()
    await revoke(server, client.id)
    advance(CHECKED_MS)
    const statuses = [own, guest, others].map(({ access }) => statusWith(server, access))
    expect(await Promise.all(statuses)).toEqual([401, 401, 200])
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

it('the check of a grant calls no object while it is cached, and the keyring at most every ten seconds', async () => {
  const calls: string[] = []
  const bindings = answerCalls(createBindings(), ({ kind, method }, next) => {
    if (OWN_KINDS.includes(kind)) calls.push(method)
    return next()
  })
  const { server, client } = await open({ bindings })
  const { access } = await client.tokens()
  await statusWith(server, access)
  calls.length = 0
  for (let index = 0; index < 5; index++) await statusWith(server, access)
  expect(calls).toEqual([])
  advance(30_000)
  for (let index = 0; index < 5; index++) await statusWith(server, access)
  expect(calls.sort()).toEqual(['check', 'signingKeys'])
})
