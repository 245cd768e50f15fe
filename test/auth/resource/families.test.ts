import { beforeAll, describe, expect, it } from 'vitest'
import { createExternalVerifier } from '../../../src/auth/resource/external-issuer.ts'
import type { Resources } from '../../../src/auth/resource/resources.ts'
import {
  claimsOf,
  createPair,
  ISSUER,
  NOW,
  openResource,
  type SigningPair,
  sign,
} from './issuer.ts'

const ORIGIN = 'https://mcp.example.com'
const ACME = `${ORIGIN}/mcp/acme`

const RESOURCES: Resources = {
  single: [],
  families: [
    {
      template: `${ORIGIN}/mcp/{org}`,
      origin: ORIGIN,
      matches: (pathname) => /^\/mcp\/[a-z]+$/.test(pathname),
      name: 'Tenants',
    },
  ],
}

let pair: SigningPair
beforeAll(async () => {
  pair = await createPair('key-1')
})

const open = () => openResource(pair, { resources: RESOURCES })
const headersOf = async (aud: string) => ({
  authorization: `Bearer ${await sign(pair, claimsOf({ aud }))}`,
})

describe('a family of resources', () => {
  it('accepts a token at the URL for which it was issued alone', async () => {
    const { authenticate } = open()
    const headers = await headersOf(ACME)
    expect(await authenticate(headers, ACME, ACME)).toMatchObject({ auth: { resource: ACME } })
    const other = `${ORIGIN}/mcp/other`
    expect(await authenticate(headers, other, other)).toMatchObject({ status: 401 })
  })

  it.each([
    ['of another form', `${ORIGIN}/mcp/acme/more`],
    ['of another origin', 'https://mcp.example.org/mcp/acme'],
    ['with a query', `${ACME}?a=b`],
    ['with credentials', 'https://a@mcp.example.com/mcp/acme'],
    ['with a password', 'https://:a@mcp.example.com/mcp/acme'],
    ['with empty credentials', 'https://@mcp.example.com/mcp/acme'],
    ['that is its template', `${ORIGIN}/mcp/{org}`],
  ])('rejects a token for a URL %s', async (_, aud) => {
    expect(await open().authenticate(await headersOf(aud), ACME, ACME)).toMatchObject({
      status: 401,
    })
  })

  it('names the metadata of the requested URL in its challenge, and serves it', async () => {
    const { authenticate, server } = open()
    const refused = (await authenticate({}, ACME, ACME)) as Response
    const url = `${ORIGIN}/.well-known/oauth-protected-resource/mcp/acme`
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${url}"`)
    const document = await server.metadata(new Request(url))?.json()
    expect(document).toMatchObject({
      resource: ACME,
      resource_name: 'Tenants',
      authorization_servers: [ISSUER],
    })
    const unknown = `${ORIGIN}/.well-known/oauth-protected-resource/mcp/acme/more`
    expect(server.metadata(new Request(unknown))).toBeUndefined()
  })

  it('accepts tokens for the configured audience of an external issuer at each of its URLs', async () => {
    const verifier = createExternalVerifier({
      issuer: ISSUER,
      jwksUri: `${ISSUER}/jwks`,
      audience: 'api://tenants',
      resources: RESOURCES,
      fetch: async () => Response.json({ keys: [pair.jwk] }),
      now: () => NOW,
    })
    const { authenticate } = openResource(pair, { resources: RESOURCES, verifiers: [verifier] })
    const headers = await headersOf('api://tenants')
    for (const url of [ACME, `${ORIGIN}/mcp/other`]) {
      expect(await authenticate(headers, url, url)).toMatchObject({ auth: { resource: url } })
    }
  })
})

describe('the caller of a token', () => {
  it('is one frozen object for all requests to one resource', async () => {
    const { authenticate } = open()
    const headers = await headersOf(ACME)
    const first = await authenticate(headers, ACME, ACME)
    const second = await authenticate(headers, ACME, ACME)
    if (first instanceof Response || second instanceof Response) throw new Error('Refused')
    expect(second.auth).toBe(first.auth)
    expect(Object.isFrozen(first.auth)).toBe(true)
  })
})
