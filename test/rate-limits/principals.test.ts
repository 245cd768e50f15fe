import { describe, expect, it } from 'vitest'
import { external } from '../../src/auth/index.ts'
import type { RateLimitOptions } from '../../src/features/rate-limits/index.ts'
import { Browser } from '../auth/server/support/browser.ts'
import { AuthClient } from '../auth/server/support/client.ts'
import {
  advance,
  type Bindings,
  createBindings,
  type Deployment,
  GUEST_PASSPHRASE,
  openDeployment,
  RESOURCE,
} from '../auth/server/support/deployment.ts'
import { interceptOutbound } from '../auth/server/support/outbound.ts'
import { answerCalls } from '../auth/server/support/scoped-objects.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { verifies } from '../support/verifies.ts'
import { createLimitedServer, from, limitClassesOf } from './limited-server.ts'

function open(classes: RateLimitOptions['classes'], bindings: Bindings = createBindings()) {
  const app = { rateLimits: { classes: { costly: { limit: 2 }, ...classes } } }
  return openDeployment({}, { app, bindings, server: createLimitedServer() })
}

/** Sends a request of a session era, without a token if there is none. */
function send(
  server: Deployment,
  token: string | undefined,
  address: string,
  message: object = { method: 'ping' },
): Promise<Response> {
  return server.fetch(RESOURCE, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...from(address),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  })
}

async function statuses(
  server: Deployment,
  tokens: readonly (string | undefined)[],
  address = '192.0.2.1',
): Promise<number[]> {
  const all: number[] = []
  for (const token of tokens) all.push((await send(server, token, address)).status)
  return all
}

const times = <T>(count: number, value: T): T[] => Array(count).fill(value)

/** A token whose signature is invalid. */
const forged = (token: string) => token.replace(/[^.]{8}$/, 'AAAAAAAA')

describe('the limit of a principal', () => {
  it('refuses requests above it from all networks and clients, and other principals none', async () => {
    verifies('tools/calls-are-rate-limited', 'completion/rate-is-limited')
    const server = open({ principal: { limit: 3 } })
    const owner = await (await AuthClient.register(server)).tokens()
    const ownerElsewhere = await (await AuthClient.register(server, { client_name: 'B' })).tokens()
    const guest = await (await AuthClient.register(server)).tokens({}, GUEST_PASSPHRASE)
    expect(await statuses(server, times(2, owner.access))).toEqual([200, 200])
    expect(await statuses(server, [ownerElsewhere.access], '192.0.2.9')).toEqual([200])
    expect(await statuses(server, [owner.access, ownerElsewhere.access])).toEqual([429, 429])
    expect(await statuses(server, times(3, guest.access))).toEqual([200, 200, 200])
    expect(limitClassesOf(server)).toEqual(['principal', 'principal'])
    advance(60_000)
    expect(await statuses(server, [owner.access])).toEqual([200])
  })

  it('is answered with Retry-After and a JSON-RPC error, which a web page may read', async () => {
    const server = open({ principal: { limit: 1, periodSeconds: 10 } })
    const { access } = await (await AuthClient.register(server)).tokens()
    await send(server, access, '192.0.2.1')
    const response = await server.fetch(RESOURCE, {
      method: 'POST',
      headers: { authorization: `Bearer ${access}`, origin: 'https://app.example' },
      body: '{}',
    })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10'])
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(response.headers.get('access-control-expose-headers')).toContain('retry-after')
    expect(response.headers.get('www-authenticate')).toBeNull()
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
  })

  it('counts the calls of a tool with a class in all networks together', async () => {
    const server = open({})
    const owner = await (await AuthClient.register(server)).tokens()
    const guest = await (await AuthClient.register(server)).tokens({}, GUEST_PASSPHRASE)
    const call = { method: 'tools/call', params: { name: 'echo', arguments: {} } }
    const found: boolean[] = []
    for (const [token, address] of [
      [owner.access, '192.0.2.1'],
      [owner.access, '192.0.2.2'],
      [owner.access, '192.0.2.3'],
      [guest.access, '192.0.2.3'],
    ] as const) {
      const response = await send(server, token, address, call)
      const { result } = await response.json<{ result: { isError?: boolean } }>()
      found.push(result.isError === true)
    }
    expect(found).toEqual([false, false, true, false])
  })
})

describe('the limit of a network with authorization', () => {
  it('counts refused and missing tokens, and refuses them with 429 above it', async () => {
    const server = open({ network: { limit: 3 } })
    const { access } = await (await AuthClient.register(server)).tokens()
    const refused = [forged(access), undefined, 'no-token', forged(access), undefined]
    expect(await statuses(server, refused)).toEqual([401, 401, 401, 429, 429])
    expect(await statuses(server, refused.slice(0, 2), '192.0.2.2')).toEqual([401, 401])
    expect(limitClassesOf(server)).toEqual(['network', 'network'])
    advance(60_000)
    expect(await statuses(server, [forged(access)])).toEqual([401])
  })

  it('never refuses a valid token, neither one that the isolate knows nor a new one', async () => {
    const server = open({ network: { limit: 1 } })
    const client = await AuthClient.register(server)
    const known = await client.tokens()
    await statuses(server, [known.access])
    expect(await statuses(server, times(3, forged(known.access)))).toEqual([401, 429, 429])
    const { access } = await client.tokens({}, GUEST_PASSPHRASE)
    expect(await statuses(server, [known.access, access])).toEqual([200, 200])
    expect(await statuses(server, times(2, forged(known.access)))).toEqual([429, 429])
  })

  it('does not count requests with a valid token', async () => {
    const server = open({ network: { limit: 2 } })
    const { access } = await (await AuthClient.register(server)).tokens()
    expect(await statuses(server, times(10, access))).toEqual(times(10, 200))
    expect(await statuses(server, times(2, 'no-token'))).toEqual([401, 401])
  })

  it('does not count a failure of the server', async () => {
    const { MCP_OBJECTS: _, ...broken } = createBindings()
    const server = open({ network: { limit: 1 } }, broken)
    expect(await statuses(server, times(3, 'any'))).toEqual([503, 503, 503])
  })
})

describe('a flood of refused tokens', () => {
  it('calls no object per request', async () => {
    let calls = 0
    const counted = answerCalls(createBindings(), (_, next) => {
      calls += 1
      return next()
    })
    const server = open({}, counted)
    const { access } = await (await AuthClient.register(server)).tokens()
    await statuses(server, [access])
    const [header = '', payload, signature] = access.split('.')
    const otherKey = btoa(JSON.stringify({ ...JSON.parse(atob(header)), kid: 'made-up' }))
    const before = calls
    const flood = [
      forged(access),
      `${otherKey.replace(/=+$/, '')}.${payload}.${signature}`,
      'a.b.c',
    ]
    for (let round = 0; round < 50; round += 1) {
      expect(await statuses(server, flood)).toEqual([401, 401, 401])
    }
    expect(calls).toBe(before)
  })

  it('fetches the keys of an external issuer once in half a minute', async () => {
    const asked = interceptOutbound(() => Response.json({ keys: [] }))
    const { fetch } = createFullEdgeway(createLimitedServer(), {
      rateLimits: { classes: { costly: { limit: 1 } } },
      telemetry: () => undefined,
      auth: external({
        origin: 'https://mcp.example.com',
        issuers: [{ issuer: 'https://login.example', jwksUri: 'https://login.example/keys' }],
        scopes: { read: 'Read' },
      }),
    })
    const ctx = { waitUntil: () => undefined }
    const env = {}
    const found: number[] = []
    for (let count = 0; count < 100; count += 1) {
      const header = btoa(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: `made-up ${count}` }))
      const authorization = `Bearer ${header.replace(/=+$/, '')}.e30.AAAA`
      const init = { method: 'POST', headers: { authorization, ...from('192.0.2.1') }, body: '{}' }
      found.push((await fetch(new Request(RESOURCE, init), env, ctx)).status)
    }
    expect(found).toEqual(times(100, 401))
    expect(asked.length).toBeLessThanOrEqual(1)
  })
})

it('a browser that is signed in reaches the account page while its network floods the endpoint', async () => {
  const server = open({ network: { limit: 1 } })
  const browser = new Browser(server)
  await browser.signIn()
  expect(await statuses(server, times(3, 'no-token'))).toEqual([401, 429, 429])
  expect((await browser.get('/account', from('192.0.2.1'))).status).toBe(200)
})
