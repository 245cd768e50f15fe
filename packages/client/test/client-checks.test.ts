/** What the clients of this package compare before they send a code. */
import { describe, expect, it } from 'vitest'
import {
  endpointDifference,
  issuerDifference,
  resourceDifference,
  responseDifference,
} from '../src/client-checks.ts'

const URL_ASKED = new URL('https://mcp.example.com/mcp')
const ISSUER = 'https://as.example.com'
const EXPECTED = { state: 's', issuer: ISSUER, namesIssuer: true }

describe('the resource of protected resource metadata', () => {
  it.each(['https://mcp.example.com/mcp', 'HTTPS://MCP.example.com:443/mcp'])(
    'is that of the URL when it is %s',
    (resource) => {
      expect(resourceDifference({ resource }, URL_ASKED)).toBeUndefined()
    },
  )

  it.each([
    undefined,
    null,
    7,
    '',
    '/mcp',
    ['https://mcp.example.com/mcp'],
    'https://mcp.example.com',
    'https://mcp.example.com/',
    'https://mcp.example.com/mcp/',
    'https://mcp.example.com/mcp?a',
    'https://mcp.example.com/mcp#a',
    'https://mcp.example.com:8443/mcp',
    'http://mcp.example.com/mcp',
    'https://user@mcp.example.com/mcp',
    'https://mcp.example.com.evil.example/mcp',
    'https://evil.example/mcp',
  ])('differs from the URL when it is %j', (resource) => {
    expect(resourceDifference({ resource }, URL_ASKED)).toContain('metadata is of')
  })

  it('is shown with at most 300 characters, and not when it is no text', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
    expect(resourceDifference({ resource: deep }, URL_ASKED)).toContain('is of no text')
    expect(resourceDifference({ resource: 'x'.repeat(9000) }, URL_ASKED)?.length).toBeLessThan(500)
  })
})

describe('the issuer of authorization server metadata', () => {
  it.each([undefined, null, `${ISSUER}/`, 'https://AS.example.com', 'https://other.example'])(
    'differs from the named one when it is %j',
    (issuer) => {
      expect(issuerDifference({ issuer }, ISSUER)).toContain('its metadata is of the issuer')
    },
  )

  it('is that of the resource when the texts are equal', () => {
    expect(issuerDifference({ issuer: ISSUER }, ISSUER)).toBeUndefined()
  })
})

describe('an authorization endpoint', () => {
  const metadata = { issuer: ISSUER, authorization_endpoint: 'https://login.example.com/authorize' }

  it('at another origin than the issuer needs iss in the response', () => {
    expect(endpointDifference(metadata)).toContain('another origin')
    const named = { ...metadata, authorization_response_iss_parameter_supported: true }
    expect(endpointDifference(named)).toBeUndefined()
  })

  it('at the origin of the issuer needs none', () => {
    expect(
      endpointDifference({ ...metadata, authorization_endpoint: `${ISSUER}/authorize` }),
    ).toBeUndefined()
  })
})

describe('an authorization response', () => {
  const differenceOf = (text: string, expected = EXPECTED) =>
    responseDifference(new URLSearchParams(text), expected)

  it.each([`code=c&state=s&iss=${ISSUER}`, `error=access_denied&state=s&iss=${ISSUER}`])(
    'is that of the request: %s',
    (text) => {
      expect(differenceOf(text)).toBeUndefined()
    },
  )

  it.each([
    ['code=c', 'another state'],
    ['code=c&state=', 'another state'],
    ['code=c&state=S', 'another state'],
    ['code=c&state=s', 'has no iss'],
    ['code=c&state=s&iss=', 'is of the issuer ""'],
    [`code=c&state=s&iss=${ISSUER}/`, 'is of the issuer'],
    [`code=c&state=s&state=x&iss=${ISSUER}`, 'has state more than once'],
    [`code=c&state=s&iss=${ISSUER}&iss=x`, 'has iss more than once'],
    [`code=c&code=d&state=s&iss=${ISSUER}`, 'has code more than once'],
  ])('differs from the request: %s', (text, says) => {
    expect(differenceOf(text)).toContain(says)
  })

  it('may have no iss when the server does not announce it, and no other one', () => {
    const unnamed = { ...EXPECTED, namesIssuer: false }
    expect(differenceOf('code=c&state=s', unnamed)).toBeUndefined()
    expect(differenceOf('code=c&state=s&iss=https://other.example', unnamed)).toContain('issuer')
  })
})
