/** A Worker of one version and objects of the next one, and the other way round. */

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEventObjects } from '../../packages/events/src/objects/event-objects.ts'
import { logKey } from '../../packages/events/src/objects/object-keys.ts'
import {
  FROM_NOW,
  NAME,
  objectsOf,
  openLog,
  registrationOf,
} from '../../packages/events/test/objects/log.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { nextVersionBindings, sealOfNextVersion } from '../support/next-version.ts'
import {
  CONTEXT,
  claimsOf,
  openSession,
  openSessionApp,
  type SessionClient,
  sealClaims,
  sealer,
  textOf,
} from '../support/session-client.ts'
import { sessionServer } from '../support/session-server.ts'
import { freshHub, listen as listenTo, RETENTION_MS, shard } from './hub/hub.ts'
import { socketsOf } from './session/lifetime.ts'

const bindings = nextVersionBindings({ ...env })
const { notify } = createFullEdgeway(sessionServer, {})

const openNext = () => openSession({}, openSessionApp({}, bindings))

/** Bindings whose session objects answer every POST with the same reply. */
function replyingBindings(reply: unknown) {
  const MCP_OBJECTS = {
    getByName: (name: string) =>
      name.startsWith('session:') ? { call: async () => reply } : env.MCP_OBJECTS.getByName(name),
  }
  return { ...env, MCP_OBJECTS }
}

/** Opens a stream socket of a session without the Worker's end around it. */
async function openRaw(session: SessionClient, changes: object) {
  const claims = await claimsOf(session.id)
  const read = { claims, stream: 'main-stream', kind: 'standalone', after: 0, live: false }
  const headers = { upgrade: 'websocket', 'x-stream-read': JSON.stringify({ ...read, ...changes }) }
  const response = await (await session.stub()).fetch(
    new Request('https://session/stream', { headers }),
  )
  const { webSocket, status } = response
  if (webSocket === null) return { status, claims, send: () => undefined, received: [] }
  const received: string[] = []
  webSocket.addEventListener('message', ({ data }) => void received.push(String(data)))
  webSocket.accept()
  onTestFinished(() => webSocket.close(1000))
  const send = (message: object) => webSocket.send(JSON.stringify(message))
  return { status, claims, send, received }
}

describe('a Worker and a session object of two versions', () => {
  it('serve a call by JSON and by a stream with its notifications', async () => {
    const session = await openNext()
    expect(
      textOf(await session.request('tools/call', { name: 'echo', arguments: { text: 'hi' } })),
    ).toBe('hi')
    const call = await session.stream(async ({ log }) => {
      await log('info', 'under way')
      return 'done'
    })
    const messages = await call.rest()
    expect(messages.map(({ method }) => method)).toEqual(['notifications/message', undefined])
    expect(textOf(messages[1] ?? {})).toBe('done')
  })

  it('resume a call with the answer to its ask, also after an eviction', async () => {
    const session = await openNext()
    const call = await session.stream(async ({ listRoots }) => `${(await listRoots()).length}`)
    const question = await call.message()
    await evictDurableObject(await session.stub())
    expect(await session.answer(question, { roots: [] })).toBe(202)
    expect(textOf(await call.message())).toBe('0')
  })

  it('replay the events after the last one that the client has', async () => {
    const session = await openNext()
    const call = await session.stream(async ({ log }) => {
      await log('info', 'under way')
      return 'done'
    })
    await call.rest()
    const replayed = await (await session.listen(call.ids[0])).rest()
    expect(replayed.map(({ method }) => method)).toEqual(['notifications/message', undefined])
  })

  it('deliver each change once', async () => {
    const session = await openNext()
    const stream = await session.listen()
    await stream.next()
    await stream.next()
    expect(await session.request('resources/subscribe', { uri: 'note://a' })).toHaveProperty(
      'result',
    )
    const publish = notify(bindings)
    await publish.resourceUpdated('note://a')
    expect(await stream.message()).toMatchObject({ params: { uri: 'note://a' } })
    await publish.toolsChanged()
    expect(await stream.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
    })
  })

  it('end a session on DELETE and answer 404 afterwards', async () => {
    const session = await openNext()
    expect((await session.end()).status).toBe(204)
    expect((await session.send('ping')).status).toBe(404)
  })
})

describe('a Worker that reads an answer of a newer session object', () => {
  it.each([
    ['a kind', { kind: 'next-kind', stream: 'x' }],
    ['a reason of refusal', { kind: 'refused', why: 'next-reason' }],
  ])('answers 503 to %s that it does not know', async (_, reply) => {
    const app = openSessionApp({}, replyingBindings(reply))
    const session = await openSession({}, app)
    const response = await session.send('ping')
    expect(response.status).toBe(503)
    expect(app.events).toContainEqual(
      expect.objectContaining({ type: 'refusal', name: 'session-unavailable', status: 503 }),
    )
  })
})

describe('a Worker whose stream socket a newer session object closes', () => {
  it('opens another one after a code that it does not know', async () => {
    const session = await openSession()
    const stream = await session.listen()
    await stream.next()
    await stream.next()
    const stub = await session.stub()
    await expect.poll(() => socketsOf(session)).toBe(1)
    await runInDurableObject(stub, (_, ctx) => {
      for (const socket of ctx.getWebSockets()) socket.close(4999, 'of the next version')
    })
    await expect.poll(() => socketsOf(session)).toBe(1)
    await notify(env).toolsChanged()
    expect(await stream.message()).toHaveProperty('method', 'notifications/tools/list_changed')
  })
})

describe('a session object that reads from a newer Worker', () => {
  it('refuses a stream of a kind that it does not know with 400', async () => {
    const session = await openSession()
    expect((await openRaw(session, { kind: 'next-kind' })).status).toBe(400)
    expect((await openRaw(session, {})).status).toBe(101)
  })

  it('sends no notification for changes of a kind that it does not know', async () => {
    const session = await openSession()
    const { send, claims, received } = await openRaw(session, {})
    const position = '1.1.0.7'
    send({ kind: 'change', change: { kind: 'next_kind', uri: 'note://a' }, position, claims })
    const changes = [{ kind: 'next_kind' }, { kind: 'tools_list_changed' }]
    send({ kind: 'changes', changes, position, claims })
    send({ kind: 'changes-lost', kinds: ['next_kind', 'prompts_list_changed'], position, claims })
    const events = () => received.filter((text) => text.startsWith('e'))
    await expect
      .poll(() => events().map((text) => text.replace(/^e\d+ /, '')))
      .toEqual([
        '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
        '{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}',
      ])
  })
})

describe('a hub shard that is called by a newer Worker', () => {
  const LISTEN_URL = 'https://hub/listen?perSubject=9&perShard=9&kind=tools_list_changed'
  const headers = { upgrade: 'websocket' }

  it('serves a listener the kinds that it knows', async () => {
    const hub = shard(freshHub())
    const url = `${LISTEN_URL}&kind=next_kind&next=parameter`
    const { status, webSocket } = await hub.fetch(new Request(url, { headers }))
    expect(status).toBe(101)
    const received: unknown[] = []
    webSocket?.addEventListener('message', ({ data }) => void received.push(data))
    webSocket?.accept()
    expect(await hub.publish({ kind: 'tools_list_changed', server: 'notes' }, RETENTION_MS)).toBe(1)
    await expect
      .poll(() => received)
      .toEqual(['{"version":1,"kind":"tools_list_changed","server":"notes"}'])
  })

  it('does not store a change of a kind that it could not read back', async () => {
    const hub = shard(freshHub())
    expect(
      await hub.publish({ kind: 'next_kind', about: 'x', server: 'notes' } as never, RETENTION_MS),
    ).toBe(0)
    expect(await hub.version()).toBe(0)
  })

  it('replays to listeners what it knows', async () => {
    const hub = freshHub()
    const { HubChangeBus } = await import('../../durable-objects/hub/change-bus.ts')
    const bus = new HubChangeBus(nextVersionBindings({ hub }).hub, 'notes')
    const since = await bus.position('ada')
    await bus.publish({ kind: 'resource_updated', uri: 'note://a' })
    const { received, gaps } = await listenTo(bus, { subject: 'ada', since })
    await expect.poll(() => received).toEqual([{ kind: 'resource_updated', uri: 'note://a' }])
    expect(gaps).toEqual([])
  })
})

describe('a Worker and a log of events of two versions', () => {
  it('emit, read, register and stream', async () => {
    const log = await openLog()
    const { bound } = nextVersionBindings({ bound: { getByName: log.stubOf } })
    const logs = { named: bound.getByName }
    const objects = createEventObjects(objectsOf(logs))
    const received: number[] = []
    const listened = await objects.openFeed(NAME, {
      start: FROM_NOW,
      subject: 'ada',
      holder: 'ada',
      onOccurrences: (each) => received.push(...each.map(({ position }) => position)),
      onLost: () => received.push(-1),
    })
    const occurrence = { timestamp: '2100-11-02T12:00:00Z', data: '{}', subject: undefined }
    for (const eventId of ['a', 'b']) await objects.emit(NAME, { eventId, ...occurrence })
    await expect.poll(() => received).toEqual([1, 2])
    expect(listened).toMatchObject({ ok: true, value: { position: 0 } })
    const after = { log: listened.ok ? listened.value.log : '', position: 1 }
    const query = { after, maxAgeMs: undefined, limit: 9, subject: undefined }
    expect(await objects.read(NAME, query)).toMatchObject({ position: 2, truncated: false })
    const registered = await logs.named(await logKey(NAME)).register(NAME, registrationOf('ada'))
    expect(registered).toMatchObject({ position: 2 })
    if (listened.ok) listened.value.close()
  })
})

describe('a session id', () => {
  const ping = (session: SessionClient, id: string) =>
    session.app.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': id })

  it('is accepted when its claims have members that a newer version added', async () => {
    const session = await openSession()
    const claims = { ...(await claimsOf(session.id)), addedInTheNextVersion: true }
    expect((await ping(session, await sealClaims(claims))).status).toBe(200)
  })

  it('of a newer version is refused as an unknown one, and telemetry says why', async () => {
    const session = await openSession()
    const unknown = await ping(session, `1${'A'.repeat(8)}.${'A'.repeat(64)}`)
    const newer = await ping(session, sealOfNextVersion(session.id))
    expect([newer.status, await newer.json()]).toEqual([404, await unknown.json()])
    expect(session.app.events.filter(({ type }) => type === 'sealed-by-newer-version')).toEqual([
      { type: 'sealed-by-newer-version', purpose: 'session-id/2' },
    ])
  })
})

describe('an event id', () => {
  it('of a newer version, or of a kind of stream that does not exist, is refused', async () => {
    const session = await openSession()
    const call = await session.stream(async ({ log }) => {
      await log('info', 'x')
      return 'done'
    })
    await call.rest()
    const [id = ''] = call.ids
    const [seal = '', seq] = id.split('~')
    expect((await session.get(id)).status).toBe(200)
    expect((await session.get(sealOfNextVersion(id))).status).toBe(400)
    const opened = await sealer().open('event-id/1', seal, CONTEXT)
    const resealed = async (letter: string) => {
      const parts = new TextDecoder().decode(opened).split(' ').with(2, letter).join(' ')
      const bytes = new TextEncoder().encode(parts)
      return `${await sealer().seal('event-id/1', bytes, CONTEXT)}~${seq}`
    }
    expect((await session.get(await resealed('a'))).status).toBe(200)
    expect((await session.get(await resealed('n'))).status).toBe(400)
  })
})
