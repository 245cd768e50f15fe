/** The principal that a session belongs to: issuer, subject and resource of the access token. */
// features: sessions

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { external } from '../../../src/auth/index.ts'
import { McpServer } from '../../../src/index.ts'
import { createPair, type SigningPair, sign } from '../../auth/resource/issuer.ts'
import { interceptOutbound } from '../../auth/server/support/outbound.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { HttpSession } from '../../support/http-session.ts'
import { verifies } from '../../support/verifies.ts'

const ORIGIN = 'https://mcp.example.com'
const ONE = 'https://one.example'
const TWO = 'https://two.example'
const OWN = { iss: ONE, sub: 'ada', client_id: 'app' }

let pair: SigningPair
beforeAll(async () => {
  pair = await createPair('key-1')
})

/** Two issuers whose subjects are the same people. */
function openServer() {
  interceptOutbound(() => Response.json({ keys: [pair.jwk] }))
  const subject = ({ sub }: { readonly [name: string]: unknown }) => `${sub}`
  const { fetch } = createFullEdgeway(new McpServer({ name: 'notes', version: '1.0.0' }), {
    // The objects of the tests are those of this server.
    audience: 'sessions',
    otherPaths: ['/other'],
    auth: external({
      origin: ORIGIN,
      scopes: {},
      issuers: [ONE, TWO].map((issuer) => ({ issuer, jwksUri: `${issuer}/keys`, subject })),
    }),
  })
  /** An endpoint whose requests present a token with these claims. */
  return (path: string, claims: object) => ({
    url: `${ORIGIN}${path}`,
    fetch: async (request: Request) => {
      const iat = Math.floor(Date.now() / 1000)
      const token = await sign(pair, { aud: `${ORIGIN}${path}`, iat, exp: iat + 300, ...claims })
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${token}`)
      return fetch(new Request(request, { headers }), env, createExecutionContext())
    },
  })
}

/** The statuses of a ping, a stream and an end in the session that `OWN` has opened. */
async function statusesBy(path: string, changes: object): Promise<readonly number[]> {
  const endpoint = openServer()
  const { id, version } = await HttpSession.open(endpoint('/mcp', OWN))
  const session = new HttpSession(endpoint(path, { ...OWN, ...changes }), id, version)
  const ping = await session.fetch('POST', { jsonrpc: '2.0', id: 1, method: 'ping' })
  const stream = await session.get()
  await stream.body?.cancel()
  return [ping.status, stream.status, (await session.end()).status]
}

describe('the session of a principal', () => {
  it.each([
    ['another token', {}],
    ['another client id', { client_id: 'registered-anew' }],
  ])('is continued with %s', async (_, changes) => {
    expect(await statusesBy('/mcp', changes)).toEqual([200, 200, 204])
  })

  it.each([
    ['another subject', '/mcp', { sub: 'eve' }],
    ['the same subject of another issuer', '/mcp', { iss: TWO }],
    ['the same subject at another resource', '/other', {}],
  ])('is unknown to %s', async (_, path, changes) => {
    verifies('streamable-http/session-id-is-protected', 'elicitation/state-is-protected')
    verifies('elicitation/state-belongs-to-a-user', 'elicitation/client-claims-are-not-trusted')
    verifies('elicitation/users-are-identified-by-credentials')
    verifies('elicitation/state-is-not-bound-to-session-ids-alone')
    verifies('authorization-security-practices/sessions-are-no-authentication')
    expect(await statusesBy(path, changes)).toEqual([404, 404, 404])
  })

  it('is not served without a token', async () => {
    verifies('authorization/authorization-in-every-request')
    verifies('authorization-security/no-data-without-token')
    verifies('authorization-security-practices/sessions-verify-requests')
    expect(await statusesBy('/mcp', { exp: 0 })).toEqual([401, 401, 401])
  })
})
