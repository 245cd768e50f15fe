/** Values and objects of the next version, at an authorization server of this one. */
import { decodeJwt, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import { createSigningKeys } from '../../../durable-objects/keyring/signing-keys.ts'
import type { SealPurpose } from '../../../src/ports/sealer.ts'
import {
  nextVersionBindings,
  resealedAsNextVersion,
  sealOfNextVersion,
} from '../../support/next-version.ts'
import { refusalOf } from './support/answers.ts'
import { Browser, formOf } from './support/browser.ts'
import { AuthClient, codeOf, statusWith, tokensOf } from './support/client.ts'
import {
  createBindings,
  type Deployment,
  ORIGIN,
  openDeployment,
  PASSPHRASE,
} from './support/deployment.ts'
import { expectRefusal } from './support/flow.ts'
import { OpenIdProvider } from './support/provider.ts'
import { answerCalls, objectsIn } from './support/scoped-objects.ts'

const COOKIES = { login: '__Host-edgeway-login', device: '__Host-edgeway-device' }
const HOOKS = { onIssue: () => ({ props: { tier: 'gold' } }) }

const open = () => openDeployment({ hooks: HOOKS })

const keyringOf = ({ bindings }: Deployment) => objectsIn<KeyringObject>(bindings, 'keyring')

/** The same seal with a member that a later version has added. */
const withAddedMember = (server: Deployment, purpose: SealPurpose, text: string) =>
  resealedAsNextVersion(
    createSealer({ keyring: keyringOf(server) }, undefined),
    purpose,
    text,
    ORIGIN,
  )

const reportedBy = ({ events }: Deployment) =>
  events.flatMap((event) => (event.type === 'sealed-by-newer-version' ? [event.purpose] : []))

const isSignedIn = async (browser: Browser) =>
  (await browser.get('/account')).actions.includes('/logout')

describe('an authorization server and objects of two versions', () => {
  const openBoth = () =>
    openDeployment({ hooks: HOOKS }, { bindings: nextVersionBindings(createBindings()) })

  it('register, approve, redeem, refresh and revoke', async () => {
    const server = openBoth()
    const client = await AuthClient.register(server)
    const { access, refresh } = await client.tokens()
    expect(await statusWith(server, access)).toBe(200)
    const next = await tokensOf(await client.refresh(refresh))
    expect(await tokensOf(await client.refresh(refresh))).toMatchObject({ refresh: next.refresh })
    expect((await client.post('/revoke', { token: next.refresh })).status).toBe(200)
    await expectRefusal(client.refresh(next.refresh), 'invalid_grant')
  })

  it('sign in, remember the device, list the apps and sign out', async () => {
    const server = openBoth()
    await (await AuthClient.register(server)).tokens()
    const browser = new Browser(server)
    expect((await browser.signIn('a wrong passphrase')).status).toBe(401)
    expect((await browser.signIn()).status).toBe(303)
    const account = await browser.get('/account')
    expect(account.html).toContain('A client')
    await browser.post('/logout', formOf(account))
    expect(await isSignedIn(browser)).toBe(false)
  })
})

describe('an authorization server that reads an answer of a newer account', () => {
  it('answers 503 to a refusal that it does not know, and reports the reason', async () => {
    const bindings = createBindings()
    const client = await AuthClient.register(openDeployment({}, { bindings }))
    const code = await client.code()
    const refusal = { refused: 'next_error', reason: 'next-reason' }
    const newer = answerCalls(bindings, ({ kind }, next) => (kind === 'account' ? refusal : next()))
    const server = openDeployment({}, { bindings: newer })
    await expectRefusal(client.at(server).redeem(code), 'temporarily_unavailable', 503)
    expect(server.events).toContainEqual({
      type: 'grant-refused',
      error: 'next_error',
      reason: 'next-reason',
      message: 'next-reason',
    })
  })
})

describe('a seal with a member that a later version has added', () => {
  it('is accepted as client id, code and refresh token', async () => {
    const server = open()
    const registered = await AuthClient.register(server)
    const id = await withAddedMember(server, 'client-id/1', registered.id)
    const client = new AuthClient(server, id)
    const code = await withAddedMember(server, 'auth-code/1', await client.code())
    const { refresh } = await tokensOf(await client.redeem(code))
    const next = await withAddedMember(server, 'refresh-token/1', refresh)
    expect((await client.refresh(next)).status).toBe(200)
    expect((await client.post('/revoke', { token: next })).status).toBe(200)
  })

  it('is accepted as consent form, sign-in and device', async () => {
    const server = open()
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    const transaction = await withAddedMember(server, 'consent-form/1', formOf(page).transaction)
    codeOf(await browser.decide(page, 'approve', { passphrase: PASSPHRASE, transaction }))
    for (const [purpose, name] of [
      ['sign-in/1', COOKIES.login],
      ['known-device/1', COOKIES.device],
    ] as const) {
      const cookie = browser.cookies.get(name) ?? ''
      browser.cookies.set(name, await withAddedMember(server, purpose, cookie))
    }
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('is accepted as state of an upstream sign-in', async () => {
    const provider = await OpenIdProvider.start()
    const server = openDeployment({ login: provider.login() })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const sent = await browser.decide(await client.authorize(browser), 'approve')
    const callback = new URL(provider.visit(sent.location).callback, ORIGIN)
    const state = callback.searchParams.get('state') ?? ''
    const next = await withAddedMember(server, 'sign-in-state/1', state)
    callback.searchParams.set('state', sealOfNextVersion(next))
    expect((await browser.get(callback.pathname + callback.search)).status).toBe(400)
    callback.searchParams.set('state', next)
    expect(codeOf(await browser.get(callback.pathname + callback.search))).toMatch(/./)
  })
})

describe('a seal of a newer version', () => {
  it('is refused as an unknown client, code and refresh token, and telemetry says why', async () => {
    const server = open()
    const client = await AuthClient.register(server)
    const code = await client.code()
    const { refresh } = await tokensOf(await client.redeem(code))
    const stranger = new AuthClient(server, sealOfNextVersion(client.id))
    expect(await refusalOf(await stranger.redeem(code))).toMatchObject({ error: 'invalid_client' })
    const invalid = { status: 400, error: 'invalid_grant' }
    expect(await refusalOf(await client.redeem(sealOfNextVersion(code)))).toEqual(invalid)
    expect(await refusalOf(await client.refresh(sealOfNextVersion(refresh)))).toEqual(invalid)
    expect(reportedBy(server)).toEqual(['client-id/2', 'auth-code/2', 'refresh-token/2'])
    // Nothing was revoked by it.
    expect((await client.refresh(refresh)).status).toBe(200)
  })

  it('is no sign-in and no consent form', async () => {
    const server = open()
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    await browser.signIn()
    browser.cookies.set(COOKIES.login, sealOfNextVersion(browser.cookies.get(COOKIES.login) ?? ''))
    expect(await isSignedIn(browser)).toBe(false)
    const page = await client.authorize(browser)
    const transaction = sealOfNextVersion(formOf(page).transaction)
    const fields = { passphrase: PASSPHRASE, transaction }
    expect((await browser.decide(page, 'approve', fields)).status).toBe(400)
    expect(reportedBy(server)).toContain('sign-in/2')
    expect(reportedBy(server)).toContain('consent-form/2')
  })

  it('in an access token makes the token invalid, and not one without a grant', async () => {
    const server = open()
    const { access } = await (await AuthClient.register(server)).tokens()
    const { kid, key } = await createSigningKeys(keyringOf(server)).signingKey()
    const sign = (changes: object) =>
      new SignJWT({ ...decodeJwt(access), ...changes })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
        .sign(key)
    expect(await statusWith(server, await sign({ added: 'later' }))).toBe(200)
    const gk = sealOfNextVersion(String(decodeJwt(access).gk))
    expect(await statusWith(server, await sign({ gk }))).toBe(401)
    expect(reportedBy(server)).toContain('grant-key/2')
  })

  it('is reported only when its form and its version are those of a newer seal', async () => {
    const server = open()
    const client = await AuthClient.register(server)
    const code = await client.code()
    for (const text of [`0${code.slice(1)}`, `A${code.slice(1)}`, '2', `2${'A'.repeat(60)}`]) {
      expect((await client.redeem(text)).status).toBe(400)
    }
    expect(reportedBy(server)).toEqual([])
    expect((await client.redeem(`z${code.slice(1)}`)).status).toBe(400)
    expect(reportedBy(server)).toEqual(['auth-code/z'])
  })
})
