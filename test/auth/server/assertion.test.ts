/** The verification of identity assertions: each fault is rejected with invalid_grant. */
import { decodeJwt, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { TrustedProviderOptions } from '../../../src/auth/index.ts'
import { verifies } from '../../support/verifies.ts'
import { bodyOf } from './support/answers.ts'
import { AuthClient } from './support/client.ts'
import { advance, featuresWith, NOW_SECONDS, openDeployment } from './support/deployment.ts'
import { expectRefusal } from './support/flow.ts'
import { type AssertionChanges, IdentityProvider, PROVIDER } from './support/identity-provider.ts'
import { JWT_BEARER, MACHINE, SECRET } from './support/static-clients.ts'

async function open(options: Partial<TrustedProviderOptions> = {}) {
  const provider = await IdentityProvider.start()
  const server = openDeployment({
    clients: [MACHINE],
    features: featuresWith([{ issuer: PROVIDER, jwksUri: `${PROVIDER}/keys`, ...options }]),
  })
  const machine = new AuthClient(server, 'machine', SECRET)
  const exchange = (assertion: string) => machine.token({ grant_type: JWT_BEARER, assertion })
  return { provider, server, exchange }
}

const claims = (changes: object): AssertionChanges => ({ claims: { ...changes } })
const header = (changes: object): AssertionChanges => ({ header: { ...changes } })

describe('an identity assertion is accepted', () => {
  it.each<[string, AssertionChanges]>([
    ['with the audience as a list of one', claims({ aud: ['https://mcp.example.com'] })],
    ['when it was issued 330 seconds ago', claims({ iat: NOW_SECONDS - 330 })],
    ['when it was issued 30 seconds ahead', claims({ iat: NOW_SECONDS + 30 })],
    ['when it is valid from 30 seconds ahead', claims({ nbf: NOW_SECONDS + 30 })],
    ['when it expired 29 seconds ago', claims({ exp: NOW_SECONDS - 29 })],
    ['with fractions of a second', claims({ iat: NOW_SECONDS - 0.5, exp: NOW_SECONDS + 0.25 })],
    ['with an expiry in the far future', claims({ exp: 1e300 })],
    ['with an expiry that is no safe integer', claims({ exp: 2 ** 53 + 2 })],
    ['with a subject of 255 characters', claims({ sub: 'x'.repeat(255) })],
    ['with the prefix of its media type', header({ typ: 'application/oauth-id-jag+jwt' })],
    ['when it names no key and the provider has one', header({ kid: undefined })],
  ])('%s', async (_, changes) => {
    const { provider, exchange } = await open()
    expect((await exchange(await provider.sign(changes))).status).toBe(200)
  })
})

describe('an identity assertion that was exchanged', () => {
  it('stays used until it is too old, although its expiry is far away', async () => {
    const { provider, exchange } = await open()
    const assertion = await provider.sign({ claims: { exp: 1e300 } })
    expect((await exchange(assertion)).status).toBe(200)
    advance(330_000)
    await expectRefusal(exchange(assertion), 'invalid_grant')
    advance(1_000)
    await expectRefusal(exchange(assertion), 'invalid_grant')
  })
})

describe('an identity assertion is rejected with invalid_grant', () => {
  it.each<[string, AssertionChanges]>([
    ['of another issuer', claims({ iss: 'https://evil.example' })],
    ['of the issuer with a slash more', claims({ iss: `${PROVIDER}/` })],
    ['without an issuer', claims({ iss: undefined })],
    ['for another server', claims({ aud: 'https://evil.example' })],
    ['for the token endpoint', claims({ aud: 'https://mcp.example.com/token' })],
    ['for several servers', claims({ aud: ['https://mcp.example.com', 'https://b.example'] })],
    ['without an audience', claims({ aud: undefined })],
    ['for another client', claims({ client_id: 'other' })],
    ['without a client', claims({ client_id: undefined })],
    ['without a subject', claims({ sub: undefined })],
    ['with a subject that is no text', claims({ sub: 1 })],
    ['with an empty subject', claims({ sub: '' })],
    ['with a subject of 256 characters', claims({ sub: 'x'.repeat(256) })],
    ['without a jti', claims({ jti: undefined })],
    ['with a jti that is no text', claims({ jti: 1 })],
    ['with an empty jti', claims({ jti: '' })],
    ['with scopes that are no text', claims({ scope: ['read'] })],
    ['with a resource that is no text', claims({ resource: 1 })],
    ['with a list of resources that are no text', claims({ resource: [1] })],
    ['with authorization details', claims({ authorization_details: [{ type: 'notes' }] })],
    ['that is bound to a key which the client has not proven', claims({ cnf: { jkt: 'x' } })],
    ['without exp', claims({ exp: undefined })],
    ['that expired 30 seconds ago', claims({ exp: NOW_SECONDS - 30 })],
    ['with an expiry that is no number', claims({ exp: '9999999999' })],
    ['without iat', claims({ iat: undefined })],
    ['that was issued 331 seconds ago', claims({ iat: NOW_SECONDS - 331 })],
    ['that was issued 31 seconds ahead', claims({ iat: NOW_SECONDS + 31 })],
    ['that is valid from 31 seconds ahead', claims({ nbf: NOW_SECONDS + 31 })],
    ['of another type', header({ typ: 'JWT' })],
    ['without a type', header({ typ: undefined })],
    ['that names an unknown key', header({ kid: 'other' })],
    ['of more than 16 KiB', claims({ filler: 'x'.repeat(16_384) })],
  ])('%s', async (_, changes) => {
    verifies('enterprise-managed-authorization/signed-jwt')
    verifies('enterprise-managed-authorization/audience-and-resource')
    verifies('jwt-assertions/subject-claim', 'jwt-assertions/validity')
    verifies('jwt-assertions/invalid-grant')
    verifies('enterprise-managed-authorization/claims', { row: 'of another issuer' })
    verifies('identity-assertions/claims', { row: 'without a subject' })
    verifies('enterprise-managed-authorization/validity-window', {
      row: 'that was issued 331 seconds ago',
    })
    verifies(
      'enterprise-managed-authorization/foreign-audience',
      'enterprise-managed-authorization/invalid-grant',
      'jwt-assertions/audience-claim',
      { row: 'for another server' },
    )
    verifies('jwt-assertions/issuer-claim', { row: 'without an issuer' })
    verifies('jwt-assertions/expiry-claim', { row: 'without exp' })
    verifies('identity-assertions/type', { row: 'of another type' })
    verifies('identity-assertions/audience', { row: 'for several servers' })
    verifies('identity-assertions/same-client', { row: 'for another client' })
    verifies('identity-assertions/authorization-details', { row: 'with authorization details' })
    verifies('jwt-assertions/not-before-claim', { row: 'that is valid from 31 seconds ahead' })
    const { provider, exchange } = await open()
    await expectRefusal(exchange(await provider.sign(changes)), 'invalid_grant')
  })

  const CLAIMS = {
    ...{ iss: PROVIDER, sub: 'ada', aud: 'https://mcp.example.com', client_id: 'machine' },
    ...{ iat: NOW_SECONDS, exp: NOW_SECONDS + 300, jti: 'a' },
  }
  const HEADER = { typ: 'oauth-id-jag+jwt', kid: 'key-1' }

  const sealed = (alg: string, key: CryptoKey | Uint8Array) =>
    new SignJWT(CLAIMS).setProtectedHeader({ ...HEADER, alg }).sign(key)

  it.each<[string, () => string | Promise<string>]>([
    ['that is no JWT', () => 'made-up'],
    ['that is not signed', () => new UnsecuredJWT(CLAIMS).encode()],
    [
      ...(['that another key has signed'] as const),
      async () => sealed('ES256', (await generateKeyPair('ES256')).privateKey),
    ],
    [
      ...(['that is signed with a shared secret'] as const),
      () => sealed('HS256', new TextEncoder().encode('a secret that is long enough')),
    ],
  ])('%s', async (_, forge) => {
    verifies('enterprise-managed-authorization/encrypted-assertions')
    verifies('jwt-assertions/one-assertion-as-grant', 'jwt-assertions/signature')
    verifies('enterprise-managed-authorization/algorithms')
    verifies('enterprise-managed-authorization/algorithm-none')
    const { exchange } = await open()
    await expectRefusal(exchange(await forge()), 'invalid_grant')
  })

  it('when no provider is trusted', async () => {
    const provider = await IdentityProvider.start()
    const machine = new AuthClient(openDeployment({ clients: [MACHINE] }), 'machine', SECRET)
    const assertion = await provider.sign()
    const refused = machine.token({ grant_type: JWT_BEARER, assertion })
    await expectRefusal(refused, 'invalid_grant')
  })
})

describe('the keys of a trusted provider', () => {
  it.each([
    ['when they cannot be fetched', () => new Response(null, { status: 500 })],
    ['when they are no key set', () => Response.json({})],
  ])('make the answer 503 temporarily_unavailable %s', async (_, keySet) => {
    const { provider, exchange } = await open()
    provider.keySet = keySet
    await expectRefusal(exchange(await provider.sign()), 'temporarily_unavailable', 503)
  })

  it('are found by the metadata of the provider when no address is configured', async () => {
    const { provider, exchange } = await open({ jwksUri: undefined })
    expect((await exchange(await provider.sign())).status).toBe(200)
  })
})

describe('the subject of an assertion', () => {
  const subjectOf = async (options: Partial<TrustedProviderOptions>) => {
    const { provider, exchange } = await open(options)
    const body = await bodyOf(await exchange(await provider.sign({ claims: { email: 'a@b.c' } })))
    return decodeJwt(String(body.access_token)).sub
  }

  it('is prefixed with its issuer, so that providers cannot name the same person', async () => {
    verifies('identity-assertions/subject-uniqueness')
    expect(await subjectOf({})).toBe('https://idp.example.com#ada')
  })

  it('is what the author makes of the claims', async () => {
    expect(await subjectOf({ subject: ({ email }) => `mail:${email}` })).toBe('mail:a@b.c')
  })

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['an empty text', () => ''],
    ['a number', () => 1],
    ['a promise', async () => 'ada'],
    ['a text of 256 characters', () => 'x'.repeat(256)],
    ['a lone surrogate', () => 'ada\ud800'],
    ['the subject of a client', () => 'client:machine'],
    [
      ...(['an error'] as const),
      () => {
        throw new Error('no email')
      },
    ],
  ])('is a fault of the server when the author makes %s of the claims', async (_, of) => {
    verifies('oauth-2-1-security/clients-and-people')
    verifies('oauth-security-practice/clients-and-people', 'jwt-access-tokens/clients-and-people')
    const { provider, server, exchange } = await open({
      subject: of as TrustedProviderOptions['subject'] & {},
    })
    await expectRefusal(exchange(await provider.sign()), 'server_error', 500)
    expect(server.events).toEqual([{ type: 'internal-error', error: expect.any(Error) }])
  })

  it('cannot be ambiguous: a provider that is configured twice is a fault of the configuration', () => {
    const trusted = { issuer: PROVIDER, jwksUri: `${PROVIDER}/keys` }
    const features = featuresWith([trusted, { ...trusted, subject: () => 'ada' }])
    expect(() => openDeployment({ clients: [MACHINE], features })).toThrow(
      'A trusted provider is configured twice',
    )
  })

  it('cannot be ambiguous: an issuer with a fragment is a fault of the configuration', async () => {
    await expect(open({ issuer: `${PROVIDER}#a` })).rejects.toThrow(
      /must be a URL without query and fragment$/,
    )
  })
})
