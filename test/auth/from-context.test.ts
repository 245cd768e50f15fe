import { createExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { type FromContextOptions, fromContext } from '../../src/auth/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { advanceClock } from '../support/clock.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { type Answer, modernRequest, read } from '../support/test-app.ts'

const ORIGIN = 'https://front.example.com'

interface Front {
  readonly props?: unknown
  readonly auth?: object
}

function open(options?: FromContextOptions) {
  const events: TelemetryEvent[] = []
  const server = new FullServer({ name: 's', version: '1' }).registerTool('who', {}, (ctx) =>
    JSON.stringify(ctx.auth ?? null),
  )
  const edgeway = createFullEdgeway(server, {
    auth: fromContext(options),
    telemetry: (event) => events.push(event),
  })
  const send = (front: Front, headers: Record<string, string | null> = {}): Promise<Response> => {
    const { body, headers: own } = modernRequest('tools/call', { name: 'who' })
    const sent = new Headers({ accept: 'application/json, text/event-stream' })
    const all = { 'content-type': 'application/json', ...own, ...headers }
    for (const [name, value] of Object.entries(all)) if (value !== null) sent.set(name, value)
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const request = new Request(`${ORIGIN}/mcp`, { method: 'POST', headers: sent, body: bytes })
    const ctx = Object.assign(Object.create(createExecutionContext()), front)
    return Promise.resolve(edgeway.fetch(request, {}, ctx))
  }
  const call = async (front: Front): Promise<Answer> => read(await send(front))
  const who = async (front: Front) => JSON.parse((await call(front)).body.result.content[0].text)
  return { events, send, call, who }
}

describe('fromContext', () => {
  it('takes the user, the client, the scopes and the props of workers-oauth-provider', async () => {
    const front = {
      props: { login: 'ada' },
      auth: { userId: 'ada', clientId: 'c1', scope: ['read'], expiresAt: 1, token: 'secret' },
    }
    expect(await open().who(front)).toEqual({
      subject: 'ada',
      clientId: 'c1',
      scopes: ['read'],
      issuer: 'urn:edgeway:s',
      resource: 'urn:edgeway:s/mcp',
      props: { login: 'ada' },
    })
  })

  it('names a caller without a user by its props, and never like a user', async () => {
    const { who } = open()
    const ada = await who({ props: { login: 'ada' } })
    expect(await who({ props: { login: 'ada' } })).toEqual(ada)
    expect((await who({ props: { login: 'bob' } })).subject).not.toBe(ada.subject)
    const forged = await who({ props: {}, auth: { userId: ada.subject } })
    expect(forged.subject).toBe(ada.subject)
    expect(forged.issuer).not.toBe(ada.issuer)
  })

  it('names a caller by the function subject, so that other props may change', async () => {
    const { who } = open({ subject: ({ login }) => String(login) })
    const first = await who({ props: { login: 'ada', token: '1' } })
    const second = await who({ props: { login: 'ada', token: '2' } })
    expect(second).toEqual({ ...first, props: { login: 'ada', token: '2' } })
    expect(first.subject).toBe('ada')
  })

  it.each([
    ['no props', {}],
    ['the empty props of the platform', { props: {} }],
    ['null', { props: null }],
  ])(
    'refuses %s with 401, and serves them as anonymous where that is allowed',
    async (_, front) => {
      expect((await open().call(front)).status).toBe(401)
      expect(await open({ anonymous: true }).who(front)).toBeNull()
    },
  )

  const CYCLE: Record<string, unknown> = {}
  CYCLE.self = CYCLE

  it.each<[string, Front]>([
    ['props that are a text', { props: 'admin' }],
    ['props that are a list', { props: [1] }],
    ['props with a function', { props: { run: () => 1 } }],
    ['props with a map', { props: { map: new Map([['role', 'admin']]) } }],
    ['props with a date', { props: { at: new Date(0) } }],
    ['props with an instance', { props: { user: new URL(ORIGIN) } }],
    ['props with what is not a number', { props: { level: Number.NaN } }],
    ['props with a big integer', { props: { id: 1n } }],
    ['props that contain themselves', { props: CYCLE }],
    ['an empty user id', { auth: { userId: '' } }],
    ['a user id that is a number', { auth: { userId: 7 } }],
    ['the user id of a client', { auth: { userId: 'client:robot' } }],
  ])('answers 503 for %s', async (_, front) => {
    const { call, events } = open({ anonymous: true })
    expect((await call(front)).status).toBe(503)
    expect(events).toContainEqual(expect.objectContaining({ type: 'internal-error' }))
  })

  it('keeps its own copy of the props', async () => {
    const props = { login: 'ada', roles: ['user'] }
    const { who } = open()
    const answered = who({ props })
    props.roles.push('admin')
    expect((await answered).props).toEqual({ login: 'ada', roles: ['user'] })
  })

  it('refuses a POST without Content-Type, which a foreign page could send with cookies', async () => {
    const { send } = open()
    const response = await send({ props: { login: 'ada' } }, { 'content-type': null })
    expect(response.status).toBe(415)
  })
})

describe('the gate of fromContext', () => {
  it('ends an open stream when the token of its request has expired', async () => {
    const gate = fromContext().createGate({
      serverName: 's',
      paths: ['/mcp'],
      pathFamilies: [],
      aliasPaths: [],
      servicesOf: () => {
        throw new Error('not used')
      },
      objectsIn: () => {
        throw new Error('not used')
      },
      report: () => undefined,
      strict: false,
      isLoopback: () => false,
      extensions: [],
      origins: { ofCallers: () => ORIGIN, isDevelopment: () => false },
    })
    const request = new Request(ORIGIN)
    const ctx = { auth: { expiresAt: Math.floor(Date.now() / 1000) + 60 } }
    expect(await gate.isStillAuthorized(request, {}, ctx)).toBe(true)
    expect(await gate.isStillAuthorized(request, {}, {})).toBe(true)
    advanceClock(61_000)
    expect(await gate.isStillAuthorized(request, {}, ctx)).toBe(false)
  })
})
