import { beforeAll, describe, expect, it } from 'vitest'
import type { ResourceOptions } from '../../../src/auth/resource/resources.ts'
import { createScopeTable } from '../../../src/auth/resource/scopes.ts'
import { createEmbeddedVerifier } from '../../../src/auth/resource/token-verifier.ts'
import { verifies } from '../../support/verifies.ts'
import { createPair, ISSUER, openResource, type SigningPair } from './issuer.ts'

let pair: SigningPair
beforeAll(async () => {
  pair = await createPair('key-1')
})

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

async function documentAt(url: string, options: Parameters<typeof openResource>[1] = {}) {
  const response = openResource(pair, options).server.metadata(new Request(url))
  return response && ((await response.json()) as Record<string, unknown>)
}

const ofResources = (...single: readonly ResourceOptions[]) => ({
  resources: { single, families: [] },
})

describe('protected resource metadata', () => {
  it('contains the configured name, documentation, issuers and scopes', async () => {
    verifies('authorization-discovery/protected-resource-metadata')
    verifies('protected-resource-metadata/jwks-uri', 'protected-resource-metadata/algorithm-none')
    expect(await documentAt(`${ISSUER}${WELL_KNOWN}/mcp`)).toEqual({
      resource: 'https://mcp.example.com/mcp',
      authorization_servers: ['https://mcp.example.com'],
      scopes_supported: ['read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Notes',
      resource_documentation: 'https://example.com/docs',
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA'],
    })
  })

  it('omits members that are not configured', async () => {
    verifies('protected-resource-metadata/empty-members')
    const options = { scopes: createScopeTable({}) }
    expect(await documentAt(`${ISSUER}${WELL_KNOWN}/other`, options)).toEqual({
      resource: 'https://mcp.example.com/other',
      authorization_servers: ['https://mcp.example.com'],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA'],
    })
  })

  it('names every trusted issuer', async () => {
    const verifiers = ['https://a.example', 'https://b.example/tenant'].map((issuer) =>
      createEmbeddedVerifier({
        issuer,
        resources: { single: [], families: [] },
        verificationKey: async () => undefined,
      }),
    )
    const document = await documentAt(`${ISSUER}${WELL_KNOWN}`, { verifiers })
    expect(document?.authorization_servers).toEqual([
      'https://a.example',
      'https://b.example/tenant',
    ])
  })
})

describe('URLs of protected resource metadata', () => {
  it.each([
    [WELL_KNOWN, 'https://mcp.example.com/mcp'],
    [`${WELL_KNOWN}/`, 'https://mcp.example.com/mcp'],
    [`${WELL_KNOWN}/mcp`, 'https://mcp.example.com/mcp'],
    [`${WELL_KNOWN}/mcp/`, 'https://mcp.example.com/mcp'],
    [`${WELL_KNOWN}/mcp?x=1`, 'https://mcp.example.com/mcp'],
    [`${WELL_KNOWN}/other`, 'https://mcp.example.com/other'],
    [`${WELL_KNOWN}/mcp//`, undefined],
    [`${WELL_KNOWN}/MCP`, undefined],
    [`${WELL_KNOWN}/mcp/x`, undefined],
    [`${WELL_KNOWN}x`, undefined],
    [`/x${WELL_KNOWN}`, undefined],
    [`/mcp?to=${WELL_KNOWN}/mcp`, undefined],
    ['/mcp', undefined],
    ['/', undefined],
  ])('%s serves the document of %s', async (path, resource) => {
    verifies('protected-resource-metadata/well-known-url')
    verifies('protected-resource-metadata/slash-of-the-resource')
    expect((await documentAt(ISSUER + path))?.resource).toBe(resource)
  })

  it.each([
    [
      'at the host of an alias',
      `https://old.example.net${WELL_KNOWN}`,
      'https://old.example.net/mcp',
    ],
    ['at the path too', `https://old.example.net${WELL_KNOWN}/mcp`, 'https://old.example.net/mcp'],
    ['at an unknown host', `https://evil.example${WELL_KNOWN}/mcp`, 'https://mcp.example.com/mcp'],
  ])('%s serve a document of that name or of the configuration: %s', async (_, url, resource) => {
    const document = await documentAt(url)
    expect(document?.resource).toBe(resource)
    expect(document?.authorization_servers).toEqual(['https://mcp.example.com'])
    expect(JSON.stringify(document)).not.toContain('evil')
  })

  it('serve the resource as configured, with or without a trailing slash, or the alias of a path', async () => {
    verifies('protected-resource-metadata/resource-is-compared')
    const options = ofResources(
      { resource: 'https://mcp.example.com/notes/', aliases: ['https://mcp.example.com/sse'] },
      { resource: 'https://mcp.example.com' },
    )
    const at = async (path: string) =>
      (await documentAt(`${ISSUER}${WELL_KNOWN}${path}`, options))?.resource
    expect(await at('/notes')).toBe('https://mcp.example.com/notes/')
    expect(await at('/notes/')).toBe('https://mcp.example.com/notes/')
    expect(await at('/sse')).toBe('https://mcp.example.com/sse')
    // A resource at the root takes precedence over the first one.
    expect(await at('')).toBe('https://mcp.example.com')
  })
})

describe('methods of protected resource metadata', () => {
  const at = (method: string) =>
    openResource(pair).server.metadata(new Request(`${ISSUER}${WELL_KNOWN}/mcp`, { method }))

  it.each(['GET', 'HEAD'])(
    '%s is allowed from every origin and cacheable for five minutes',
    async (method) => {
      verifies('protected-resource-metadata/query-by-get', 'protected-resource-metadata/response')
      const response = at(method)
      expect(response?.status).toBe(200)
      expect(response?.headers.get('access-control-allow-origin')).toBe('*')
      expect(response?.headers.get('cache-control')).toBe('public, max-age=300')
      expect(response?.headers.get('content-type')).toBe('application/json')
      expect((await response?.text()) === '').toBe(method === 'HEAD')
    },
  )

  it('OPTIONS allows the methods and headers that clients send', async () => {
    const response = at('OPTIONS')
    expect([response?.status, await response?.text()]).toEqual([204, ''])
    expect(response?.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    expect(response?.headers.get('access-control-allow-headers')).toBe('*, authorization')
    expect(response?.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it.each(['POST', 'PUT', 'DELETE'])(
    '%s is answered with 405 and the allowed methods',
    async (method) => {
      const response = at(method)
      expect([response?.status, response?.headers.get('allow')]).toEqual([
        405,
        'GET, HEAD, OPTIONS',
      ])
      expect(await response?.json()).toEqual({ error: 'method_not_allowed' })
    },
  )
})

describe('ResourceServer', () => {
  it.each([
    '/mcp',
    'mcp.example.com/mcp',
    'https://mcp.example.com/mcp#part',
    'https://mcp.example.com/mcp?x=1',
    'https://mcp.example.com/mcp?',
    'https://user@mcp.example.com/mcp',
    'HTTPS://mcp.example.com/mcp',
    'https://MCP.example.com/mcp',
    'https://mcp.example.com:443/mcp',
    'https://mcp.example.com/a/../mcp',
    ' https://mcp.example.com/mcp',
    'ftp://mcp.example.com/mcp',
    'javascript:alert(1)',
    '',
  ])('rejects the resource %j', (resource) => {
    verifies('protected-resource-metadata/resource', { row: 'https://mcp.example.com/mcp#part' })
    expect(() => openResource(pair, ofResources({ resource }))).toThrow(TypeError)
    const alias = { resource: 'https://mcp.example.com/mcp', aliases: [resource] }
    expect(() => openResource(pair, ofResources(alias))).toThrow(TypeError)
  })

  it('rejects an empty list of resources and a resource that occurs twice', () => {
    expect(() => openResource(pair, ofResources())).toThrow('At least one protected resource')
    const twice = ofResources(
      { resource: 'https://mcp.example.com/mcp' },
      { resource: 'https://mcp.example.com/x', aliases: ['https://mcp.example.com/mcp/'] },
    )
    expect(() => openResource(pair, twice)).toThrow('occurs twice')
  })

  it('rejects an empty list of issuers and an issuer that occurs twice', () => {
    verifies('authorization-discovery/authorization-servers-member')
    verifies('issuer-identification/unique-issuers')
    const verifier = createEmbeddedVerifier({
      issuer: ISSUER,
      resources: { single: [], families: [] },
      verificationKey: async () => undefined,
    })
    expect(() => openResource(pair, { verifiers: [] })).toThrow(TypeError)
    expect(() => openResource(pair, { verifiers: [verifier, verifier] })).toThrow(TypeError)
  })
})
