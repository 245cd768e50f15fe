/** The parser of WWW-Authenticate. */
import { describe, expect, it } from 'vitest'
import { parseChallenge } from '../src/challenge.ts'

const URL = 'https://a.example/.well-known/oauth-protected-resource'

describe('parseChallenge', () => {
  it.each([
    { header: '', parameters: undefined },
    { header: 'Basic realm="x"', parameters: undefined },
    { header: 'Bearer', parameters: {} },
    { header: `Bearer resource_metadata="${URL}"`, parameters: { resource_metadata: URL } },
    { header: `bearer resource_metadata=${URL}`, parameters: { resource_metadata: URL } },
    {
      header: `Basic realm="a, Bearer b", Bearer realm="x", resource_metadata="${URL}", scope="read write"`,
      parameters: { realm: 'x', resource_metadata: URL, scope: 'read write' },
    },
    {
      header: `Bearer error="invalid_token", error_description="say \\"hi\\""\t,resource_metadata = "${URL}"`,
      parameters: { error: 'invalid_token', error_description: 'say "hi"', resource_metadata: URL },
    },
    { header: `Bearer realm="x", DPoP algs="ES256"`, parameters: { realm: 'x' } },
  ])('reads $header', ({ header, parameters }) => {
    expect(parseChallenge(header)).toEqual(parameters)
  })

  it('reads a long header in linear time', () => {
    const startedAt = Date.now()
    parseChallenge(`Bearer ${'a="\\'.repeat(100_000)}`)
    parseChallenge(`Bearer ${'a='.repeat(100_000)}`)
    expect(Date.now() - startedAt).toBeLessThan(5000)
  })
})
