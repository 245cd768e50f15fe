import { describe, expect, it } from 'vitest'
import { createRedirectPolicy } from '../../../src/auth/clients/redirect-policy.ts'
import { checkRegistration, describeMetadata } from '../../../src/auth/clients/registration.ts'
import { OAuthError } from '../../../src/auth/oauth-error.ts'
import { verifies } from '../../support/verifies.ts'
import { EVERYTHING } from './deployment.ts'
import { EC_KEY, ED_KEY, RSA_KEY } from './keys.ts'

const CALLBACK = 'https://a.example/cb'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const policy = createRedirectPolicy()

const check = (value: unknown) => checkRegistration(value, policy, EVERYTHING)
const accept = (rest: object) => check({ redirect_uris: [CALLBACK], ...rest })
/** The accepted metadata in wire form. */
const echo = (rest: object): unknown =>
  JSON.parse(JSON.stringify(describeMetadata(check({ redirect_uris: [CALLBACK], ...rest }))))

function refusal(value: unknown): string {
  try {
    check(value)
  } catch (error) {
    if (error instanceof OAuthError) return `${error.status} ${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

describe('client metadata', () => {
  it('is returned as accepted, without unknown members', () => {
    verifies('dynamic-client-registration/unknown-metadata')
    verifies('dynamic-client-registration/internationalised-members')
    verifies('dynamic-client-registration/software-statements')
    verifies('dynamic-client-registration/software-statement-is-returned')
    const whole = {
      redirect_uris: ['https://a.example/cb', 'http://127.0.0.1/'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'A client',
      client_uri: 'https://a.example',
      logo_uri: 'https://a.example/logo.png',
      scope: 'read write',
      software_id: '4NRB1-0XZABZI9E6-5SM3R',
      software_version: '2.1',
      application_type: 'native',
      dpop_bound_access_tokens: true,
    }
    const more = {
      contacts: ['a@a.example'],
      tos_uri: 'https://a.example/tos',
      software_statement: 'x.y.z',
      'client_name#de': 'Ein Klient',
      client_id: 'mine',
      client_secret: 'mine',
      extra: { deep: [1] },
    }
    expect(echo({ ...whole, ...more })).toEqual(whole)
  })

  it('may consist of redirect URIs only', () => {
    expect(echo({})).toEqual({
      redirect_uris: ['https://a.example/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })

  it.each([
    ['scope', 1024],
    ['software_version', 255],
  ])('may have a %s of %d characters', (name, length) => {
    const longest = { [name]: 'x'.repeat(length) }
    expect(echo(longest)).toMatchObject(longest)
  })

  it('may contain null for absent members', () => {
    const names = ['token_endpoint_auth_method', 'grant_types', 'response_types', 'client_name']
    const others = ['client_uri', 'logo_uri', 'scope', 'jwks', 'jwks_uri', 'software_id']
    const nulls = Object.fromEntries([...names, ...others].map((name) => [name, null]))
    expect(echo(nulls)).toEqual(echo({}))
  })

  it('loses unacceptable and repeated redirect URIs', () => {
    const uris = [
      'javascript:alert(1)',
      CALLBACK,
      'http://a.example/',
      CALLBACK,
      'http://localhost',
    ]
    expect(check({ redirect_uris: uris }).redirectUris).toEqual([CALLBACK, 'http://localhost'])
  })

  it.each([
    [['authorization_code'], ['authorization_code', 'refresh_token']],
    [
      ['authorization_code', 'implicit', 'client_credentials', 'password'],
      ['authorization_code', 'refresh_token'],
    ],
    [
      ['authorization_code', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      ['authorization_code', 'refresh_token'],
    ],
  ])('with the grant types %j gets %j', (requested, granted) => {
    expect(accept({ grant_types: requested }).grantTypes).toEqual(granted)
  })

  it('may request the JWT bearer grant if the client has keys', () => {
    const grant_types = ['urn:ietf:params:oauth:grant-type:jwt-bearer']
    const signs = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [EC_KEY] } }
    expect(echo({ grant_types, ...signs })).toMatchObject({ grant_types, response_types: [] })
  })

  it.each([
    ['http://a.example/', undefined],
    ['javascript:alert(1)', undefined],
    ['https://user@a.example/', undefined],
    ['https://a.example/<script>', 'https://a.example/<script>'],
    ['https://a.example/ x', undefined],
    ['', undefined],
    [`https://a.example/${'x'.repeat(512)}`, undefined],
    ['https://a.example', 'https://a.example'],
    ['https://a.example:8443/x', 'https://a.example:8443/x'],
  ])('with the home page and logo %j keeps %j', (uri, accepted) => {
    verifies('dynamic-client-registration/metadata-is-unverified')
    const { uri: page, logoUri } = accept({ client_uri: uri, logo_uri: uri })
    expect([page, logoUri]).toEqual([accepted, accepted])
  })

  it.each([
    ['read', ['read']],
    ['read write read', ['read', 'write']],
    [' read ', ['read']],
    ['', undefined],
    ['a:b https://a.example/x', ['a:b', 'https://a.example/x']],
  ])('with the scope %j has the scopes %j', (scope, scopes) => {
    expect(accept({ scope }).scopes).toEqual(scopes)
  })

  it('keeps a known application type and drops others', () => {
    verifies('authorization-discovery/application-type')
    expect(accept({ application_type: 'web' }).applicationType).toBe('web')
    expect(accept({ application_type: 'toaster' }).applicationType).toBeUndefined()
  })
})

describe('a registration is rejected', () => {
  const metadata = (text: string) => `400 invalid_client_metadata: ${text}`
  const redirect = (text: string) => `400 invalid_redirect_uri: ${text}`
  const NO_OBJECT = metadata('The client metadata must be a JSON object')
  const NO_URI = redirect('redirect_uris must name at least one URI')
  const NO_URIS = redirect('redirect_uris must be an array of strings')
  const GRANTS = metadata('grant_types must include authorization_code')
  const SCOPES = metadata('scope must be scope tokens separated by one space')
  const ONE_SOURCE = metadata('private_key_jwt needs either jwks or jwks_uri')
  const KEY_SET = metadata('jwks must be a set of 1 to 5 keys')
  const NOT_PUBLIC = metadata('A key in jwks must not be private or symmetric')
  const PUBLIC_URL = metadata('jwks_uri must be a public https URL')
  const METHODS = metadata(
    'token_endpoint_auth_method must be one of none, client_secret_basic, client_secret_post, private_key_jwt',
  )
  const KINDS = metadata('A key in jwks must be of P-256, Ed25519, or RSA with 2048 to 4096 bits')
  const withRedirect = (rest: object) => ({ redirect_uris: [CALLBACK], ...rest })
  const signing = (rest: object) =>
    withRedirect({ token_endpoint_auth_method: 'private_key_jwt', ...rest })
  const keys = (...all: unknown[]) => signing({ jwks: { keys: all } })

  const LONG_SCOPE = metadata('scope is longer than 1024 characters')
  const LONG_VERSION = metadata('software_version is longer than 255 characters')
  const SIGNATURES = metadata('A key in jwks must be for signatures')
  const ALGORITHM = metadata('A key in jwks must have a supported algorithm or none')
  const BOOLEAN = metadata('dpop_bound_access_tokens must be a boolean')
  const UNACCEPTABLE = redirect(
    'None of the redirect_uris is acceptable; the first one has a scheme that is never accepted',
  )
  const mustBe = (name: string, what: string) => metadata(`${name} must be ${what}`)
  const ELEVEN = Array.from({ length: 11 }, (_, n) => `${CALLBACK}${n}`)
  const BOTH = { jwks: { keys: [EC_KEY] }, jwks_uri: 'https://a.example/jwks' }

  it.each<[string, string, unknown]>([
    ['null', NO_OBJECT, null],
    ['a list', NO_OBJECT, []],
    ['a string', NO_OBJECT, 'x'],
    ['no members', NO_URI, {}],
    ['no redirect URI', NO_URI, { redirect_uris: [] }],
    ['a redirect URI that is not in a list', NO_URIS, { redirect_uris: CALLBACK }],
    ['a number among redirect URIs', NO_URIS, { redirect_uris: [CALLBACK, 1] }],
    ['a list among redirect URIs', NO_URIS, { redirect_uris: [[CALLBACK]] }],
    [
      ...([
        'eleven redirect URIs',
        redirect('redirect_uris must have at most 10 entries'),
      ] as const),
      { redirect_uris: ELEVEN },
    ],
    [
      ...(['no acceptable redirect URI', UNACCEPTABLE] as const),
      { redirect_uris: ['javascript:alert(1)', 'http://a.example/'] },
    ],
    [
      'only unsupported grants',
      GRANTS,
      withRedirect({ grant_types: ['implicit', 'client_credentials'] }),
    ],
    ['an empty list of grants', GRANTS, withRedirect({ grant_types: [] })],
    ['the JWT bearer grant without keys', GRANTS, withRedirect({ grant_types: [JWT_BEARER] })],
    ['an empty key set', KEY_SET, keys()],
    ['a list instead of a key set', KEY_SET, signing({ jwks: [EC_KEY] })],
    ['six keys', KEY_SET, keys(...Array(6).fill(EC_KEY))],
    ['a key that is a string', metadata('A key in jwks must be an object'), keys('x')],
    ['a private key', NOT_PUBLIC, keys({ ...EC_KEY, d: 'x' })],
    ['a symmetric key', NOT_PUBLIC, keys({ kty: 'oct', k: 'x' })],
    ['an encryption key', SIGNATURES, keys({ ...EC_KEY, use: 'enc' })],
    ['a key for a symmetric algorithm', ALGORITHM, keys({ ...RSA_KEY, alg: 'HS256' })],
    ['a key of 1024 bits', KINDS, keys({ ...RSA_KEY, n: RSA_KEY.n.slice(0, 171) })],
    ['a key on another curve', KINDS, keys({ ...EC_KEY, crv: 'secp256k1' })],
    ['both jwks and jwks_uri', ONE_SOURCE, signing(BOTH)],
    ['neither jwks nor jwks_uri', ONE_SOURCE, signing({})],
    [
      'a jwks_uri at a private address',
      PUBLIC_URL,
      signing({ jwks_uri: 'https://169.254.169.254/' }),
    ],
    ['a jwks_uri with plain http', PUBLIC_URL, signing({ jwks_uri: 'http://a.example/jwks' })],
    ...(
      [
        ['an unknown method', METHODS, { token_endpoint_auth_method: 'client_secret_jwt' }],
        ['a method of another type', METHODS, { token_endpoint_auth_method: ['none'] }],
        [
          'grants of another type',
          mustBe('grant_types', 'an array of strings'),
          { grant_types: 'x' },
        ],
        [
          'the response type token',
          metadata('response_types must include code'),
          { response_types: ['token'] },
        ],
        [
          'response types of another type',
          mustBe('response_types', 'an array of strings'),
          { response_types: [1] },
        ],
        ['a name of another type', mustBe('client_name', 'a string'), { client_name: { en: 'x' } }],
        ['a home page of another type', mustBe('client_uri', 'a string'), { client_uri: 1 }],
        ['a logo of another type', mustBe('logo_uri', 'a string'), { logo_uri: [] }],
        ['a list of scopes', mustBe('scope', 'a string'), { scope: ['read'] }],
        ['a scope with a quote', SCOPES, { scope: 'a"b' }],
        ['scopes separated by a line break', SCOPES, { scope: 'a\nb' }],
        ['a scope that is too long', LONG_SCOPE, { scope: 'x'.repeat(1025) }],
        ['a version that is too long', LONG_VERSION, { software_version: 'x'.repeat(256) }],
        ['dpop_bound_access_tokens as text', BOOLEAN, { dpop_bound_access_tokens: 'true' }],
      ] as const
    ).map(([title, expected, rest]): [string, string, unknown] => [
      title,
      expected,
      withRedirect(rest),
    ]),
  ])('that has %s', (_, expected, value) => {
    verifies('authorization-security/registered-redirect-uris')
    verifies('oauth-2-1-clients/registration-contents', 'dynamic-client-registration/keys-once')
    verifies('dynamic-client-registration/jwks-uri', 'dynamic-client-registration/extension-grants')
    verifies('dynamic-client-registration/consistent-types')
    expect(refusal(value)).toBe(expected)
  })
})

describe('the registered keys of a client', () => {
  it('are reduced to the members that verification needs', () => {
    const extra = { use: 'sig', x5c: ['MII'], x5u: 'https://evil.example/', key_ops: ['verify'] }
    const { jwks } = accept({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [EC_KEY, ED_KEY, RSA_KEY].map((key) => ({ ...key, ...extra })) },
    })
    expect(jwks).toEqual([EC_KEY, ED_KEY, RSA_KEY])
  })

  it('are dropped if the client does not use private_key_jwt', () => {
    expect(accept({ jwks: { keys: [EC_KEY] } }).jwks).toBeUndefined()
    expect(accept({ jwks_uri: 'https://127.0.0.1/' }).jwksUri).toBeUndefined()
  })
})
