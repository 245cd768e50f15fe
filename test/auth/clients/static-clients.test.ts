import { describe, expect, it } from 'vitest'
import {
  createStaticClients as create,
  type StaticClientOptions,
} from '../../../src/auth/clients/static-clients.ts'
import { EVERYTHING } from './deployment.ts'
import { EC_KEY } from './keys.ts'

const createStaticClients = (
  clients: readonly StaticClientOptions[],
  redirects?: Parameters<typeof create>[1],
) => create(clients, redirects, EVERYTHING)

const REDIRECTS = { redirectUris: ['https://a.example/cb'] }
/** Of `secret`. */
const HASH = 'K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols'

describe('createStaticClients', () => {
  it('creates a public client without secret and keys', () => {
    expect(createStaticClients([{ id: 'mine', ...REDIRECTS }]).get('mine')).toEqual({
      id: 'mine',
      kind: 'static',
      name: 'mine',
      uri: undefined,
      host: undefined,
      redirectUris: ['https://a.example/cb'],
      authMethod: 'none',
      secretHash: undefined,
      jwks: undefined,
      jwksUri: undefined,
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: undefined,
      dpopBound: false,
    })
  })

  it.each<[Partial<StaticClientOptions>, string]>([
    [{ secretHash: HASH }, 'client_secret_basic'],
    [{ secretHash: HASH, authMethod: 'client_secret_post' }, 'client_secret_post'],
    [{ jwks: [EC_KEY] }, 'private_key_jwt'],
    [{ jwksUri: 'https://a.example/jwks' }, 'private_key_jwt'],
  ])('derives from %j the method %s', (credentials, method) => {
    const clients = createStaticClients([{ id: 'mine', ...REDIRECTS, ...credentials }])
    expect(clients.get('mine')?.authMethod).toBe(method)
  })

  it('requires no redirect URI for client credentials', () => {
    const grantTypes = ['client_credentials'] as const
    const clients = createStaticClients([
      { id: 'job', secretHash: HASH, grantTypes, scopes: ['read'], name: 'Nightly job' },
    ])
    expect(clients.get('job')).toMatchObject({
      name: 'Nightly job',
      grantTypes: ['client_credentials'],
      scopes: ['read'],
      redirectUris: [],
    })
  })

  it('accepts a redirect URI that no preset has, and a configured scheme', () => {
    const redirects = { presets: ['claude'] as const, schemes: ['myapp'] }
    const clients = createStaticClients(
      [{ id: 'mine', redirectUris: ['https://a.example/cb', 'myapp://cb'] }],
      redirects,
    )
    expect(clients.get('mine')?.redirectUris).toEqual(['https://a.example/cb', 'myapp://cb'])
  })

  const ID = 'the id must be printable ASCII without spaces'
  const KEYS = 'private_key_jwt needs either jwks or jwksUri; other methods must not have them'
  const HTTP = '"http://a.example/cb" must be https, unless its host is a loopback address'
  const SYSTEM =
    '"ms-settings://cb" has a scheme of a system: use https, loopback http, or a scheme of the app'
  const jwksUri = 'https://a.example/jwks'
  const PRIVATE = { jwks: [{ ...EC_KEY, d: 'x' }] }

  it.each<[string, string, Partial<StaticClientOptions>]>([
    ['an empty id', ID, { id: '' }],
    ['an id with a space', ID, { id: 'a b' }],
    ['an id that is not ASCII', ID, { id: 'é' }],
    ['no redirect URI', 'authorization_code needs a redirect URI', { redirectUris: [] }],
    [
      'a redirect URI over plain http',
      HTTP,
      { redirectUris: ['https://a.example/cb', 'http://a.example/cb'] },
    ],
    ['a scheme that is not accepted', SYSTEM, { redirectUris: ['ms-settings://cb'] }],
    [
      'a secret instead of its hash',
      'secretHash must be a SHA-256 in base64url',
      { secretHash: 'secret' },
    ],
    [
      'an unused secret',
      'none must not have a secretHash',
      { secretHash: HASH, authMethod: 'none' },
    ],
    ['no secret', 'client_secret_post needs a secretHash', { authMethod: 'client_secret_post' }],
    ['a secret and keys', KEYS, { secretHash: HASH, jwks: [EC_KEY] }],
    ['a method that needs keys, and none', KEYS, { authMethod: 'private_key_jwt' }],
    ['both jwks and jwksUri', KEYS, { jwks: [EC_KEY], jwksUri }],
    ['a private key', 'a key must not be private or symmetric', PRIVATE],
    ['http keys', 'jwksUri must be a public https URL', { jwksUri: 'http://a.example/jwks' }],
    [
      ...(['client credentials alone', 'client_credentials needs a secret or keys'] as const),
      { redirectUris: [], grantTypes: ['client_credentials'] },
    ],
  ])('throws for a client with %s', (_, defect, changes) => {
    const options = { id: 'mine', ...REDIRECTS, ...changes }
    expect(() => createStaticClients([options])).toThrow(
      new TypeError(`auth.clients: client ${JSON.stringify(options.id)}: ${defect}`),
    )
  })

  it('throws for an id that occurs twice', () => {
    const twice = [
      { id: 'mine', ...REDIRECTS },
      { id: 'mine', ...REDIRECTS },
    ]
    expect(() => createStaticClients(twice)).toThrow(
      new TypeError('auth.clients: client "mine": the id occurs twice'),
    )
  })
})
