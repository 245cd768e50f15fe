/** What the inspector neither stores nor sends: secrets, and in production what other people send and receive. */
// features: asks
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { randomToken } from '../../../../src/platform/random-token.ts'
import { Browser } from '../../../../test/auth/server/support/browser.ts'
import { AuthClient, codeOf } from '../../../../test/auth/server/support/client.ts'
import {
  AUDIENCE,
  advance,
  createBindings,
  type Deployment,
  GUEST_PASSPHRASE,
  ORIGIN,
  openDeployment,
  PASSPHRASE,
} from '../../../../test/auth/server/support/deployment.ts'
import { objectsIn } from '../../../../test/auth/server/support/scoped-objects.ts'
import { FullServer } from '../../../../test/support/full-server.ts'
import { modernRequest } from '../../../../test/support/test-app.ts'
import { inspector } from '../../src/inspector/index.ts'
import type { TrafficEntry } from '../../src/inspector/traffic-entry.ts'
import type { TrafficObject } from '../../src/objects/traffic/traffic-object.ts'
import { openTraffic } from './support/inspected-server.ts'

const canary = (what: string) => `canary ${what} ${crypto.randomUUID().slice(0, 8)}`

function createServer(): FullServer {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => `${text} back`)
  server.registerTool('sign', { inputSchema: { token: z.string() } }, ({ token }) => {
    return `https://mcp.example.com/files/${token}`
  })
  server.registerTool('ask', {}, async (ctx) => {
    const answer = await ctx.elicit({ message: 'Go on?', schema: { ok: z.boolean() } })
    return `${answer.action}`
  })
  return server
}

function openOwned(options = {}) {
  const bindings = createBindings()
  const app = { inspector: inspector({ owners: ['owner', 'guest'], ...options }) }
  const server = openDeployment({}, { app, bindings, server: createServer() })
  return { server, bindings }
}

/** Calls a tool with a token, and returns the answer. */
async function call(
  server: Deployment,
  token: string,
  name: string,
  args: object,
  more: object = {},
  meta = {},
): Promise<{ result: Record<string, unknown> }> {
  const params = { name, arguments: args, ...more }
  const { headers, body } = modernRequest('tools/call', params, { meta })
  const response = await server.fetch(`${ORIGIN}/mcp`, {
    method: 'POST',
    headers: {
      ...(headers as Record<string, string>),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify(body),
  })
  return response.json()
}

const cookiesOf = ({ cookies }: Browser) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** The stream of a person whose browser is signed in. */
async function watch(server: Deployment, browser: Browser) {
  const fetch = (path: string, init?: RequestInit) => server.fetch(`${ORIGIN}${path}`, init)
  return openTraffic(fetch, '?after=0', { cookie: cookiesOf(browser) })
}

/** Everything that is stored. */
async function stored(bindings: Readonly<Record<string, unknown>>): Promise<string> {
  const page = await objectsIn<TrafficObject>(bindings, 'traffic', AUDIENCE)
    .named('')
    .read({ after: 0, waitMs: 0, watcher: 'test', subject: undefined })
  return page?.entries.map(({ entry }) => entry).join('\n') ?? ''
}

/** Entries until one matches. */
async function until(
  reader: { next(): Promise<TrafficEntry> },
  matches: (entry: TrafficEntry) => boolean,
): Promise<TrafficEntry[]> {
  const entries: TrafficEntry[] = []
  do entries.push(await reader.next())
  while (!entries.some(matches))
  return entries
}

describe('the traffic of production', () => {
  it('is not recorded while no stream reads it', async () => {
    const { server, bindings } = openOwned()
    const client = await AuthClient.register(server)
    const { access } = await client.tokens()
    await call(server, access, 'echo', { text: 'quiet' })
    await scheduler.wait(50)
    expect(await stored(bindings)).toBe('')
  })

  it('has the bodies of the person who watches, and the shapes of those of others', async () => {
    const { server, bindings } = openOwned()
    const client = await AuthClient.register(server)
    const own = (await client.tokens()).access
    const others = (await client.tokens({}, GUEST_PASSPHRASE)).access
    const browser = new Browser(server)
    await browser.signIn(PASSPHRASE)
    const traffic = await watch(server, browser)
    advance(10_001)
    await call(server, own, 'echo', { text: 'wakes the isolate' })
    await scheduler.wait(50)
    const secret = canary('of a guest')
    await call(server, others, 'echo', { text: secret })
    await call(server, own, 'echo', { text: 'of the owner' })
    const isAnswer = (entry: TrafficEntry) =>
      entry.kind === 'message' && JSON.stringify(entry).includes('of the owner back')
    const entries = await until(traffic, isAnswer)
    const text = JSON.stringify(entries)
    expect(text).not.toContain(secret)
    expect(await stored(bindings)).not.toContain(secret)
    expect(text).toContain('of the owner')
    const shapes = entries.filter((entry) => entry.kind === 'message' && entry.shape)
    expect(shapes).toMatchObject([
      {
        message: { method: 'tools/call', params: { name: 'echo', arguments: { text: 'string' } } },
      },
      { message: { result: { content: [{ type: 'string', text: 'string' }] } } },
    ])
    expect(entries.filter(({ kind }) => kind === 'opened')).toMatchObject([
      { subject: 'guest' },
      { subject: 'owner' },
    ])
    await traffic.close()
  })

  it('shows an owner the shapes of the bodies of another owner who watches too', async () => {
    const { server } = openOwned()
    const client = await AuthClient.register(server)
    const others = (await client.tokens({}, GUEST_PASSPHRASE)).access
    const [owner, guest] = [new Browser(server), new Browser(server)]
    await owner.signIn(PASSPHRASE)
    await guest.signIn(GUEST_PASSPHRASE)
    const [ofOwner, ofGuest] = [await watch(server, owner), await watch(server, guest)]
    advance(10_001)
    await call(server, others, 'echo', { text: 'wakes the isolate' })
    await scheduler.wait(50)
    const secret = canary('of the other owner')
    await call(server, others, 'echo', { text: secret })
    const isClosed = ({ kind }: TrafficEntry) => kind === 'closed'
    expect(JSON.stringify(await until(ofGuest, isClosed))).toContain(secret)
    expect(JSON.stringify(await until(ofOwner, isClosed))).not.toContain(secret)
    await Promise.all([ofOwner.close(), ofGuest.close()])
  })

  it('has every body where the owner wants it', async () => {
    const { server } = openOwned({ bodies: true })
    const client = await AuthClient.register(server)
    const others = (await client.tokens({}, GUEST_PASSPHRASE)).access
    const browser = new Browser(server)
    await browser.signIn(PASSPHRASE)
    const traffic = await watch(server, browser)
    advance(10_001)
    await call(server, others, 'echo', { text: 'wakes the isolate' })
    await scheduler.wait(50)
    await call(server, others, 'echo', { text: 'of a guest' })
    const entries = await until(traffic, ({ kind }) => kind === 'closed')
    expect(JSON.stringify(entries)).toContain('of a guest')
    await traffic.close()
  })

  it('has no token, code, cookie, state, verifier, secret or signed URL of anyone', async () => {
    const { server, bindings } = openOwned({ bodies: true })
    const secrets: string[] = []
    const keep = (secret: string) => {
      secrets.push(secret)
      return secret
    }
    const browser = new Browser(server)
    await browser.signIn(PASSPHRASE)
    const traffic = await watch(server, browser)
    advance(10_001)
    const confidential = { token_endpoint_auth_method: 'client_secret_post' }
    const client = await AuthClient.register(server, confidential)
    keep(client.secret ?? '')
    await scheduler.wait(50)
    const person = new Browser(server)
    const state = keep(randomToken())
    const page = await client.authorize(person, { state })
    const code = keep(codeOf(await person.decide(page, 'approve', { passphrase: PASSPHRASE })))
    const tokens = await (await client.redeem(code)).json<Record<string, string>>()
    const access = keep(tokens.access_token ?? '')
    keep(tokens.refresh_token ?? '')
    for (const { cookies } of [browser, person]) for (const [, value] of cookies) keep(value)
    const signed = keep(randomToken(48))
    await call(server, access, 'sign', { token: signed })
    const capabilities = { elicitation: { form: {} } }
    const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
    const { result } = await call(server, access, 'ask', {}, {}, meta)
    const requestState = keep(String(result.requestState))
    const [key = ''] = Object.keys(Object(result.inputRequests))
    const inputResponses = { [key]: { action: 'accept', content: { ok: true } } }
    await call(server, access, 'ask', {}, { requestState, inputResponses }, meta)
    await server.fetch(`${ORIGIN}/mcp`, {
      method: 'POST',
      headers: {
        'mcp-session-id': keep(randomToken(64)),
        authorization: `Bearer ${keep(randomToken())}`,
      },
      body: '{}',
    })
    await scheduler.wait(200)
    const seen = JSON.stringify(await traffic.stored()) + (await stored(bindings))
    expect(seen).toContain('"path":"/token"')
    expect(seen).toContain('inputResponses')
    expect(secrets.every((secret) => secret.length >= 20)).toBe(true)
    expect(secrets.filter((secret) => seen.includes(secret))).toEqual([])
    const parts = secrets.filter((secret) => seen.includes(secret.slice(-12)))
    expect(parts).toEqual([])
    await traffic.close()
  })
})
