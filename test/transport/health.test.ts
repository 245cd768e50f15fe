/** The health endpoint: what it answers, and that it cannot be used for a flood. */
// features: changes, state, landing-page, health

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Kind } from '../../src/ports/object-kinds.ts'
import { createFullEdgeway, type FullOptions } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { intercepting } from '../support/objects.ts'

const ORIGIN = 'https://health.example.com'

afterEach(() => {
  vi.useRealTimers()
})

function open(options: FullOptions = {}, bindings: object = {}) {
  const { fetch } = createFullEdgeway(new FullServer({ name: 'health', version: '1.0.0' }), options)
  return (path: string, init?: RequestInit, origin = ORIGIN) =>
    fetch(new Request(`${origin}${path}`, init), bindings, createExecutionContext())
}

/** Bindings whose calls are counted, and fail while `failing` names them. */
function watched() {
  const failing = new Set<string>()
  const calls: string[] = []
  const watch = (bindings: object, kind: Kind) =>
    intercepting(bindings, kind, {
      call: (_, __, next) => {
        calls.push(kind)
        if (failing.has(kind)) throw new Error('secret detail of the failure')
        return next()
      },
    })
  const bindings = (['keyring', 'hub', 'state'] as const).reduce(watch, { ...env })
  return { bindings, failing, calls }
}

describe('GET /health', () => {
  it('answers 200 without a call of an object', async () => {
    const { bindings, calls } = watched()
    const response = await open({}, bindings)('/health')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ status: 'ok' })
    expect(calls).toEqual([])
  })

  it('answers HEAD without a body', async () => {
    const response = await open()('/health', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 405', async (method) => {
    const response = await open()('/health', { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    await response.text()
  })

  it('is served at another path, or not at all', async () => {
    const named = open({ health: '/up' })
    expect((await named('/up')).status).toBe(200)
    expect((await named('/health')).status).toBe(404)
    expect((await open({ health: false })('/health')).status).toBe(404)
  })

  it('leaves its default path to an endpoint that matches it, and refuses a named one', () => {
    const server = new FullServer({ name: 'health', version: '1.0.0' })
    expect(() => createFullEdgeway(server, { path: '/health' })).not.toThrow()
    expect(() => createFullEdgeway(server, { path: '/up', health: '/up' })).toThrow(TypeError)
  })

  it('is not served on a host that is not served', async () => {
    const response = await open()('/health', {}, 'http://health.example.com')
    expect(response.status).toBe(403)
    await response.text()
  })
})

describe.each(['/', '/health'])('%s and the routes of the author', (path) => {
  const create = () => createFullEdgeway(new FullServer({ name: 'health', version: '1.0.0' }))
  const text = async (app: Pick<Hono, 'request'>, method = 'GET') => {
    const response = await app.request(`${ORIGIN}${path}`, { method }, {}, createExecutionContext())
    return `${response.status} ${(await response.text()).slice(0, 40)}`
  }

  it('gives way to a route that is added to edgeway.app later', async () => {
    const { app } = create()
    app.get(path, (c) => c.text('mine'))
    expect(await text(app as never)).toBe('200 mine')
  })

  it('gives way to a later route with a param or a wildcard that has a method', async () => {
    const { app } = create()
    app.get('*', (c) => c.text('mine'))
    expect(await text(app as never)).toBe('200 mine')
  })

  it('gives way to a route of an app that is mounted in edgeway.app later', async () => {
    const { app } = create()
    app.route('/', new Hono().get(path, (c) => c.text('mine')) as never)
    expect(await text(app as never)).toBe('200 mine')
  })

  it.each(['before', 'after'])(
    'gives way to a route that an outer app adds %s it mounts edgeway.app',
    async (when) => {
      const outer = new Hono()
      if (when === 'before') outer.get(path, (c) => c.text('mine'))
      outer.route('/', create().app)
      if (when === 'after') outer.get(path, (c) => c.text('mine'))
      expect(await text(outer)).toBe('200 mine')
    },
  )

  it('is served in an outer app that has no such route, and before middleware that is added later', async () => {
    const outer = new Hono()
    outer.route('/', create().app)
    outer.use('*', async (_c, next) => next())
    outer.get('/other', (c) => c.text('other'))
    expect(await text(outer)).toMatch(/^200 /)
    expect(await text(outer)).not.toBe('200 mine')
  })

  it('answers a method that the route of the author does not have', async () => {
    const { app } = create()
    app.get(path, (c) => c.text('mine'))
    expect(await text(app as never, 'POST')).toMatch(/^405 /)
  })

  it('is served in edgeway.app with a route of the author for another method alone', async () => {
    const { app } = create()
    app.post(path, (c) => c.text('mine'))
    expect(await text(app as never, 'POST')).toBe('200 mine')
    expect(await text(app as never)).toMatch(/^200 /)
    expect(await text(app as never)).not.toBe('200 mine')
  })
})

describe('GET /health?deep', () => {
  it('calls an object of each kind', async () => {
    const { bindings, calls } = watched()
    const response = await open({}, bindings)('/health?deep')
    expect(response.status).toBe(200)
    const parts = { keyring: 'ok', hub: 'ok', state: 'ok' }
    expect(await response.json()).toEqual({ status: 'ok', parts })
    expect(calls.sort()).toEqual(['hub', 'keyring', 'state'])
  })

  it('answers 503 and names the kind whose object fails, without the error', async () => {
    const { bindings, failing } = watched()
    failing.add('hub')
    const response = await open({}, bindings)('/health?deep')
    expect(response.status).toBe(503)
    const text = await response.text()
    expect(JSON.parse(text)).toEqual({
      status: 'failing',
      parts: { keyring: 'ok', hub: 'failing', state: 'ok' },
    })
    expect(text).not.toContain('secret')
  })

  it('calls the objects at most every ten seconds, however many requests there are', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2100, 0, 1) })
    const { bindings, failing, calls } = watched()
    const send = open({}, bindings)
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('/health?deep')))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(calls).toHaveLength(3)
    failing.add('state')
    vi.setSystemTime(Date.now() + 9_999)
    expect((await send('/health?deep')).status).toBe(200)
    vi.setSystemTime(Date.now() + 1)
    expect((await send('/health?deep', { method: 'HEAD' })).status).toBe(503)
  })

  it('answers 200 on a server without objects', async () => {
    const response = await open()('/health?deep')
    expect(await response.json()).toEqual({ status: 'ok', parts: {} })
  })
})
