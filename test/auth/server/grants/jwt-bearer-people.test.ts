/** Who may come in with an identity assertion: the allow-lists and `scopesOf`. */
import { describe, expect, it } from 'vitest'
import type {
  EmbeddedOptions,
  KnownPerson,
  TrustedProviderOptions,
} from '../../../../src/auth/index.ts'
import { bodyOf, reasonsOf, refusalOf } from '../support/answers.ts'
import { AuthClient } from '../support/client.ts'
import { featuresWith, openDeployment } from '../support/deployment.ts'
import { type AssertionChanges, IdentityProvider, PROVIDER } from '../support/identity-provider.ts'
import { JWT_BEARER, MACHINE, SECRET } from '../support/static-clients.ts'

type Claims = NonNullable<AssertionChanges['claims']>

async function open(
  options: Partial<EmbeddedOptions>,
  providerOptions: Partial<TrustedProviderOptions> = {},
) {
  const provider = await IdentityProvider.start()
  const server = openDeployment({
    clients: [MACHINE],
    features: featuresWith([{ issuer: PROVIDER, jwksUri: `${PROVIDER}/keys`, ...providerOptions }]),
    ...options,
  })
  const machine = new AuthClient(server, 'machine', SECRET)
  const send = (assertion: string, scope?: string) =>
    machine.token({ grant_type: JWT_BEARER, assertion, scope })
  const exchange = async (claims: Claims = {}, scope?: string) =>
    send(await provider.sign({ claims }), scope)
  return { provider, server, send, exchange, machine }
}

const INVALID_GRANT = { status: 400, error: 'invalid_grant' }
const ALL_CLAIMS: NonNullable<TrustedProviderOptions['attributes']> = ({ email, groups }) => ({
  emails: email,
  groups,
})

describe('an allow-list and an identity assertion', () => {
  const onList: readonly (readonly [string, EmbeddedOptions['allow'], Claims])[] = [
    ['the domain of its address', { emailDomains: ['acme.com'] }, { email: 'ann@acme.com' }],
    ['its address', { emails: ['ann@acme.com'] }, { email: 'Ann@acme.com' }],
    ['one of its groups', { groups: ['staff'] }, { groups: ['x', 'staff'] }],
    ['its only group, as text', { groups: ['staff'] }, { groups: 'staff' }],
    ['its subject', { ids: [`${PROVIDER}#ada`] }, {}],
  ]
  it.each(onList)('let a person in by %s', async (_, allow, claims) => {
    const { exchange } = await open({ allow }, { attributes: ALL_CLAIMS })
    expect((await exchange(claims)).status).toBe(200)
  })

  const notOnList: readonly (readonly [string, EmbeddedOptions['allow'], Claims])[] = [
    ['of another domain', { emailDomains: ['acme.com'] }, { email: 'ann@evil.com' }],
    ['of a subdomain', { emailDomains: ['acme.com'] }, { email: 'ann@x.acme.com' }],
    ['whose address is an object', { emails: ['ann@acme.com'] }, { email: { 0: 'ann@acme.com' } }],
    ['whose groups are no texts', { groups: ['staff'] }, { groups: [['staff'], { x: 'staff' }] }],
    ['without an address', { emailDomains: ['acme.com'] }, {}],
    ['whose sub is the id of another issuer', { ids: ['ada'] }, {}],
    ['whose numeric sub is the id of another issuer', { ids: [583231] }, { sub: '583231' }],
  ]
  it.each(notOnList)('refuse a person %s with invalid_grant', async (_, allow, claims) => {
    const { server, exchange } = await open({ allow }, { attributes: ALL_CLAIMS })
    expect(await refusalOf(await exchange(claims))).toEqual(INVALID_GRANT)
    expect(reasonsOf(server)).toEqual(['person-not-allowed'])
  })

  it('do not take the claims of a provider for attributes that it may not decide about', async () => {
    const allow = { emailDomains: ['acme.com'], groups: ['staff'] }
    const claims = { email: 'ann@acme.com', email_verified: true, groups: ['staff'] }
    const { exchange } = await open({ allow })
    expect(await refusalOf(await exchange(claims))).toEqual(INVALID_GRANT)
  })

  it('leave an assertion valid that they refuse', async () => {
    const people = new Set<string>()
    const scopesOf = ({ subject }: KnownPerson) => (people.has(subject) ? ['read'] : undefined)
    const { provider, send } = await open({ scopesOf })
    const assertion = await provider.sign()
    expect(await refusalOf(await send(assertion))).toEqual(INVALID_GRANT)
    people.add(`${PROVIDER}#ada`)
    expect((await send(assertion)).status).toBe(200)
  })
})

describe('scopesOf and an identity assertion', () => {
  it('receives the subject and the attributes of the person', async () => {
    const asked: KnownPerson[] = []
    const scopesOf = (person: KnownPerson) => {
      asked.push(person)
      return ['read']
    }
    const { exchange } = await open({ scopesOf }, { attributes: ALL_CLAIMS })
    await exchange({ email: 'ann@acme.com', groups: ['staff'] })
    expect(asked).toEqual([
      {
        subject: `${PROVIDER}#ada`,
        id: `${PROVIDER}#ada`,
        emails: ['ann@acme.com'],
        groups: ['staff'],
        organizations: [],
      },
    ])
  })

  it('reduces the scopes of the token to those that the person may have', async () => {
    const { exchange } = await open({ scopesOf: () => ['read'] })
    expect((await bodyOf(await exchange())).scope).toBe('read')
    expect((await bodyOf(await exchange({ scope: 'read write' }, 'read write'))).scope).toBe('read')
  })

  it('refuses a person who may have none of the scopes with invalid_grant', async () => {
    const { exchange } = await open({ scopesOf: () => ['read'] })
    expect(await refusalOf(await exchange({ scope: 'write' }))).toEqual(INVALID_GRANT)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('The directory is away'))],
    ['returns a scope that the server does not have', () => ['admin']],
  ])('answers 503 when it %s, and the assertion stays valid', async (_, fail) => {
    let fails = true
    const scopesOf = () => (fails ? fail() : ['read'])
    const { provider, send } = await open({ scopesOf })
    const assertion = await provider.sign()
    expect((await send(assertion)).status).toBe(503)
    fails = false
    expect((await send(assertion)).status).toBe(200)
  })

  it('is not asked about a client that acts on its own behalf', async () => {
    const { machine } = await open({ scopesOf: () => undefined })
    expect((await machine.token({ grant_type: 'client_credentials' })).status).toBe(200)
  })
})
