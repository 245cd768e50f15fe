import { describe, expect, it } from 'vitest'
import { parseDocumentUrl } from '../../../src/auth/clients/client-document.ts'
import { verifies } from '../../support/verifies.ts'
import { openDeployment } from './deployment.ts'
import { EC_KEY } from './keys.ts'

const ID = 'https://client.example/oauth/client.json'
const DOCUMENT = {
  client_id: ID,
  client_name: 'A client',
  redirect_uris: ['https://client.example/cb', 'http://localhost/callback'],
  token_endpoint_auth_method: 'none',
}

describe('client ID metadata documents', () => {
  it('give the client the metadata of its document', async () => {
    const { clients, published, fetched } = openDeployment()
    published.set(ID, { ...DOCUMENT, client_uri: 'https://client.example', scope: 'read' })
    expect(await clients.find(ID)).toEqual({
      id: ID,
      kind: 'document',
      name: 'A client',
      uri: 'https://client.example',
      host: 'client.example',
      redirectUris: ['https://client.example/cb', 'http://localhost/callback'],
      authMethod: 'none',
      secretHash: undefined,
      jwks: undefined,
      jwksUri: undefined,
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['read'],
      dpopBound: false,
    })
    await clients.find(ID)
    expect(fetched).toEqual([ID])
  })

  const SIGNING = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [EC_KEY] } }
  it.each<[string, object, object]>([
    [
      'name keys',
      SIGNING,
      { authMethod: 'private_key_jwt', jwks: [EC_KEY], host: 'client.example' },
    ],
    ['demand DPoP proofs', { dpop_bound_access_tokens: true }, { dpopBound: true }],
    ['leave out the method', { token_endpoint_auth_method: undefined }, { authMethod: 'none' }],
  ])('may %s', async (_, changes, expected) => {
    const { clients, published } = openDeployment()
    published.set(ID, { ...DOCUMENT, ...changes })
    expect(await clients.find(ID)).toMatchObject(expected)
  })

  it('are not fetched when documents are not supported', async () => {
    const { clients, published, fetched } = openDeployment({ documents: false })
    published.set(ID, DOCUMENT)
    expect(await clients.find(ID)).toBeUndefined()
    expect(fetched).toEqual([])
  })

  it('are not fetched for a configured client', async () => {
    const { clients, fetched } = openDeployment({
      staticClients: [{ id: ID, name: 'Configured', redirectUris: ['https://client.example/cb'] }],
    })
    expect(await clients.find(ID)).toMatchObject({ kind: 'static', name: 'Configured' })
    expect(fetched).toEqual([])
  })

  it('lose the redirect URIs that the deployment does not accept', async () => {
    const { clients, published } = openDeployment({ redirects: { presets: ['claude'] } })
    published.set(ID, DOCUMENT)
    expect((await clients.find(ID))?.redirectUris).toEqual(['http://localhost/callback'])
  })
})

const UNREADABLE =
  'cannot be read: its host must answer with JSON of at most 5120 bytes, and without a redirect'
const json = (text: string) =>
  new Response(text, { headers: { 'content-type': 'application/json' } })

describe('a client ID metadata document is rejected', () => {
  const signing = { token_endpoint_auth_method: 'private_key_jwt' }
  const PRIVATE_JWKS = { ...signing, jwks_uri: 'https://10.0.0.1/jwks' }
  const NO_OBJECT = 'it must be a JSON object'
  const NAMES = 'client_id must be the URL of the document'
  const NO_NAME = 'client_name is required'
  const SECRET = 'it must not have a client_secret'
  const METHODS = 'token_endpoint_auth_method must be one of none, private_key_jwt'
  const NO_URI = 'redirect_uris must name at least one URI'
  const NO_CODES = 'grant_types must include authorization_code'
  const UNACCEPTABLE =
    'None of the redirect_uris is acceptable; the first one must be https, unless its host is a loopback address'

  it.each<[string, string, unknown]>([
    ['is a list', NO_OBJECT, [DOCUMENT]],
    ['is null', NO_OBJECT, null],
    ...Object.entries({
      'names no client': [NAMES, { client_id: undefined }],
      'names another client': [NAMES, { client_id: 'https://claude.ai/oauth/other' }],
      'names another URL that differs by one character': [NAMES, { client_id: `${ID}?` }],
      'names itself in another letter case': [NAMES, { client_id: ID.replace('c', 'C') }],
      'names itself in a list': [NAMES, { client_id: [ID] }],
      'has no name': [NO_NAME, { client_name: undefined }],
      'has an invisible name': [NO_NAME, { client_name: '\u200b' }],
      'has no redirect URI': [NO_URI, { redirect_uris: undefined }],
      'has no acceptable redirect URI': [UNACCEPTABLE, { redirect_uris: ['http://a.example/'] }],
      'contains a secret': [SECRET, { client_secret: 'x' }],
      'contains the expiry of a secret': [SECRET, { client_secret_expires_at: 0 }],
      'names client_secret_basic': [METHODS, { token_endpoint_auth_method: 'client_secret_basic' }],
      'names client_secret_post': [METHODS, { token_endpoint_auth_method: 'client_secret_post' }],
      'names client_secret_jwt': [METHODS, { token_endpoint_auth_method: 'client_secret_jwt' }],
      'has keys at a private address': ['jwks_uri must be a public https URL', PRIVATE_JWKS],
      'requests client_credentials': [
        NO_CODES,
        { ...signing, jwks: { keys: [EC_KEY] }, grant_types: ['client_credentials'] },
      ],
    }).map(([title, [why, changes]]): [string, string, unknown] => [
      title,
      why as string,
      { ...DOCUMENT, ...(changes as object) },
    ]),
  ])('that %s', async (_, why, document) => {
    verifies('authorization-discovery/client-document-draft')
    verifies('oauth-2-0/registered-redirection-endpoints')
    verifies('authorization-discovery/client-document-of-clients', { row: 'has no redirect URI' })
    verifies(
      'authorization-discovery/client-document-names-its-url',
      'client-id-metadata-documents/client-id-member',
      {
        row: 'names itself in another letter case',
      },
    )
    verifies('authorization-discovery/client-document-structure', { row: 'has no name' })
    verifies('client-id-metadata-documents/no-shared-secrets', { row: 'names client_secret_jwt' })
    const { clients, published } = openDeployment()
    published.set(ID, document)
    await expect(clients.find(ID)).rejects.toMatchObject({
      code: 'invalid_client',
      status: 401,
      message: `The client metadata document ${ID} is not valid: ${why}`,
    })
  })

  it.each([
    ['larger than 5 KiB', UNREADABLE, () => Response.json({ ...DOCUMENT, x: 'x'.repeat(5120) })],
    [
      'an HTML page',
      UNREADABLE,
      () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
    ],
    ['behind a redirect', UNREADABLE, () => Response.redirect('https://client.example/other.json')],
    ['nested 33 levels', UNREADABLE, () => json('['.repeat(33) + ']'.repeat(33))],
    ['with a repeated key', UNREADABLE, () => json(`{"client_id":"a","client_id":"${ID}"}`)],
    ['not found', 'does not exist', () => Response.json(DOCUMENT, { status: 404 })],
    ['deleted', 'does not exist', () => Response.json(DOCUMENT, { status: 410 })],
    ['forbidden', UNREADABLE, () => Response.json(DOCUMENT, { status: 403 })],
  ])('that is %s, with its URL', async (_, defect, response) => {
    verifies('client-id-metadata-documents/status-200', { row: 'forbidden' })
    const { clients, published, fetched } = openDeployment()
    published.set(ID, response())
    await expect(clients.find(ID)).rejects.toMatchObject({
      code: 'invalid_client',
      message: `The client metadata document ${ID} ${defect}`,
    })
    expect(fetched).toEqual([ID])
  })

  it.each([
    ['a backslash', 'https://client.example/c?a=\\b', 'https://client.example/c?a=%5Cb'],
    [
      '2,000 characters',
      `https://client.example/${'x'.repeat(1977)}`,
      `https://client.example/${'x'.repeat(277)}...`,
    ],
  ])('with a URL of %s in a form that an error can have', async (_, id, shown) => {
    const { clients, published } = openDeployment()
    published.set(id, new Response(null, { status: 404 }))
    await expect(clients.find(id)).rejects.toThrow(
      `The client metadata document ${shown} does not exist`,
    )
  })

  it.each([
    ['whose host is down', undefined],
    ['whose host fails', new Response('10.0.0.7: down', { status: 502 })],
  ])('%s, with 503 and without details', async (_, response) => {
    const { clients, published } = openDeployment()
    if (response !== undefined) published.set(ID, response)
    await expect(clients.find(ID)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      status: 503,
      message: `The client metadata document ${ID} cannot be read at the moment`,
    })
  })

  it('but not while its host is down and a cached document exists', async () => {
    const { clients, published, clock } = openDeployment()
    published.set(ID, DOCUMENT)
    await clients.find(ID)
    published.clear()
    clock.now += 6 * 86_400_000
    expect((await clients.find(ID))?.name).toBe('A client')
  })
})

describe('parseDocumentUrl accepts', () => {
  it.each([
    'https://client.example/c',
    'https://client.example/c/',
    'https://client.example/c?v=1',
    'https://claude.ai/oauth/claude-code-client-metadata',
    'https://chatgpt.com/oauth/abc/client.json',
    'https://vscode.dev/oauth/client-metadata.json',
  ])('%s', (url) => {
    expect(parseDocumentUrl(url)?.href).toBe(url)
  })
})

describe('a client id is unknown without a fetch when it is', () => {
  it.each([
    ...(
      'https://client.example https://client.example/ https://client.example/?c ' +
      'http://client.example/c https://client.example/c# https://client.example/c#x ' +
      'https://client.example/a/../c https://client.example/./c ' +
      'https://client.example/%2e%2e/c https://client.example/%2E/c ' +
      'https://user@client.example/c https://client.example:443/c ' +
      'https://client.example:22/c https://client.example:8443/c https://CLIENT.example/c ' +
      'https://localhost/c https://127.0.0.1/c https://[::1]/c ' +
      'https://169.254.169.254/latest/meta-data ' +
      'https://metadata.google.internal/computeMetadata/v1 ' +
      'https://mcp.example.com/authorize?client_id=https://mcp.example.com/authorize ' +
      'https://mcp.example.com:8443/c https://'
    ).split(' '),
    `https://client.example/${'x'.repeat(2048)}`,
  ])('%s', async (url) => {
    verifies('client-id-metadata-documents/https-with-a-path', { row: 'http://client.example/c' })
    verifies('client-id-metadata-documents/no-dot-segments', {
      row: 'https://client.example/a/../c',
    })

    const { clients, fetched } = openDeployment()
    expect(await clients.find(url)).toBeUndefined()
    expect(fetched).toEqual([])
  })
})
