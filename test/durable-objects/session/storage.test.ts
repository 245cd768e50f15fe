import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { intercepting } from '../../support/objects.ts'
import { openSession, openSessionApp, textOf } from '../../support/session-client.ts'
import { NOTHING, storedBy } from './stored.ts'

/** Bindings that record the names of the session objects that are called. */
function countedBindings() {
  const reached: string[] = []
  const record = (key: string) => void reached.push(key)
  const bindings = intercepting({ ...env }, 'session', {
    call: (_, __, next, key) => {
      record(key)
      return next()
    },
    fetch: (_, next, key) => {
      record(key)
      return next()
    },
  })
  return { reached, bindings }
}

describe('a client that only initializes', () => {
  it('calls no session object, however often', async () => {
    const { reached, bindings } = countedBindings()
    const app = openSessionApp({}, bindings)
    const before = await listDurableObjectIds(env.MCP_OBJECTS)
    const sessions = await Promise.all(Array.from({ length: 50 }, () => openSession({}, app)))
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(50)
    expect(reached).toEqual([])
    expect(await listDurableObjectIds(env.MCP_OBJECTS)).toHaveLength(before.length)
  })

  it('calls its session object with the first message after that', async () => {
    const { reached, bindings } = countedBindings()
    const session = await openSession({}, openSessionApp({}, bindings))
    expect(await session.notify('notifications/initialized', {})).toBe(202)
    expect(reached).toHaveLength(1)
  })

  it('calls no session object with a forged session id', async () => {
    const { reached, bindings } = countedBindings()
    const { app, id } = await openSession({}, openSessionApp({}, bindings))
    const forged = `${id.slice(0, -1)}${id.endsWith('A') ? 'Q' : 'A'}`
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const response = await app.post(body, { 'mcp-session-id': forged })
    expect(response.status).toBe(404)
    expect(reached).toEqual([])
  })
})

describe('a session', () => {
  it('stores nothing for quick requests, notifications and responses', async () => {
    const session = await openSession()
    expect(await session.notify('notifications/initialized', {})).toBe(202)
    expect(await session.notify('notifications/roots/list_changed', {})).toBe(202)
    expect(await session.notify('notifications/cancelled', { requestId: 99 })).toBe(202)
    expect(await session.answer({ id: 'ask-never' }, {})).toBe(202)
    for (const method of ['ping', 'tools/list', 'prompts/list', 'resources/list']) {
      expect(await session.request(method)).toHaveProperty('result')
    }
    const echo = { name: 'echo', arguments: { text: 'hi' } }
    expect(textOf(await session.request('tools/call', echo))).toBe('hi')
    expect(await session.request('resources/read', { uri: 'note://a' })).toHaveProperty('result')
    expect(await session.request('tools/call', { name: 'nothing' })).toHaveProperty('error')
    expect(await session.request('nothing/at/all')).toHaveProperty('error')
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('stores nothing for a call that waits for a short time without a notification', async () => {
    const session = await openSession()
    const response = await session.call(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return 'done'
    })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(textOf(await response.json())).toBe('done')
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('stores nothing for a step, or for an ask that the client does not support', async () => {
    const session = await openSession({ capabilities: {} })
    const response = await session.call(async (ctx) => {
      await ctx.step('first', () => 1)
      return `${await ctx.listRoots()}`
    })
    expect(await response.json()).toMatchObject({ result: { isError: true } })
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('stores the log of a call that sent a notification, and no row of the call after its answer', async () => {
    const session = await openSession()
    const stream = await session.stream(async ({ log }) => {
      await log('info', 'under way')
      return 'done'
    })
    expect(await stream.rest()).toHaveLength(2)
    const { rows, alarm } = await storedBy(session)
    expect(rows).toEqual({ migrations: 1, settings: 1, streams: 1, events: 2 })
    expect(alarm).not.toBeNull()
  })

  it('stores a call that asks with its journal until its answer', async () => {
    const session = await openSession()
    const stream = await session.stream(async (ctx) => {
      await ctx.step('first', () => 1)
      return `${(await ctx.listRoots()).length} folders`
    })
    const question = await stream.message()
    expect((await storedBy(session)).rows).toEqual({
      migrations: 1,
      settings: 1,
      streams: 1,
      events: 1,
      runs: 1,
      journal: 1,
      waits: 1,
    })
    expect(await session.answer(question, { roots: [] })).toBe(202)
    expect(textOf(await stream.message())).toBe('0 folders')
    expect((await storedBy(session)).rows).toEqual({
      migrations: 1,
      settings: 1,
      streams: 1,
      events: 2,
    })
  })

  it('stores the settings of its client', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'error' })
    // The claims, the level, and the time of the last request.
    expect((await storedBy(session)).rows).toEqual({ migrations: 1, settings: 3 })
  })
})
