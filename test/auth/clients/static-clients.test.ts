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

  it.each<[string, StaticClientOptions, string]>([
    ['an empty id', { id: '', ...REDIRECTS }, 'the id must be printable ASCII without spaces'],
    [
      'an id with a space',
      { id: 'a b', ...REDIRECTS },
      'the id must be printable ASCII without spaces',
    ],
    [
      'an id that is not ASCII',
      { id: 'é', ...REDIRECTS },
      'the id must be printable ASCII without spaces',
    ],
    ['no redirect URI', { id: 'mine' }, 'authorization_code needs a redirect URI'],
    [
      'a redirect URI that is never acceptable',
      { id: 'mine', redirectUris: ['https://a.example/cb', 'http://a.example/cb'] },
      '"http://a.example/cb" must be https, unless its host is a loopback address',
    ],
    [
      'a scheme that is not accepted',
      { id: 'mine', redirectUris: ['ms-settings://cb'] },
      '"ms-settings://cb" has a scheme of a system: use https, loopback http, or a scheme of the app',
    ],
    [
      'a secret instead of its hash',
      { id: 'mine', secretHash: 'secret', ...REDIRECTS },
      'secretHash must be a SHA-256 in base64url',
    ],
    [
      'a secret that its method does not use',
      { id: 'mine', secretHash: HASH, authMethod: 'none', ...REDIRECTS },
      'none must not have a secretHash',
    ],
    [
      'a method that needs a secret, and none',
      { id: 'mine', authMethod: 'client_secret_post', ...REDIRECTS },
      'client_secret_post needs a secretHash',
    ],
    [
      'a secret and keys',
      { id: 'mine', secretHash: HASH, jwks: [EC_KEY], ...REDIRECTS },
      'private_key_jwt needs either jwks or jwksUri; other methods must not have them',
    ],
    [
      'a method that needs keys, and none',
      { id: 'mine', authMethod: 'private_key_jwt', ...REDIRECTS },
      'private_key_jwt needs either jwks or jwksUri; other methods must not have them',
    ],
    [
      'both jwks and jwksUri',
      { id: 'mine', jwks: [EC_KEY], jwksUri: 'https://a.example/jwks', ...REDIRECTS },
      'private_key_jwt needs either jwks or jwksUri; other methods must not have them',
    ],
    [
      'a private key',
      { id: 'mine', jwks: [{ ...EC_KEY, d: 'x' }], ...REDIRECTS },
      'a key must not be private or symmetric',
    ],
    [
      'a jwksUri with plain http',
      { id: 'mine', jwksUri: 'http://a.example/jwks', ...REDIRECTS },
      'jwksUri must be a public https URL',
    ],
    [
      'client credentials without a secret or keys',
      { id: 'mine', grantTypes: ['client_credentials'] },
      'client_credentials needs a secret or keys',
    ],
  ])('throws for a client with %s', (_, options, defect) => {
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
