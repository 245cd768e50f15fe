/** Factories that fail, hang and share their results, and callers that all come at once. */
import { describe, expect, it } from 'vitest'
import { McpServer, type ServerFactory } from '../../src/index.ts'
import { openFactoryApp, type TestApp } from '../support/test-app.ts'

const INFO = { name: 'factory', version: '1' }
const REFERENCE = /^This server could not build its definition for you \(reference [0-9a-f]{8}\)/

const open = (factory: ServerFactory, limits = {}) =>
  openFactoryApp(factory, { info: INFO, path: '/mcp/{org}', limits })

const newServer = () => new McpServer({ name: 'x', version: '0' })

const names = async (app: TestApp, path: string): Promise<string[] | undefined> => {
  const { body } = await app.at(path).modern('tools/list')
  return body.result?.tools.map(({ name }: { name: string }) => name)
}

const circular: { self?: unknown } = {}
circular.self = circular

describe('a factory that returns no server', () => {
  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a promise of nothing', () => Promise.resolve()],
    ['a class', () => McpServer],
    ['another factory', () => () => newServer()],
    ['an object with the same members', () => Object.create(newServer())],
    [
      'an object whose then throws',
      () =>
        Object.defineProperty({}, 'then', {
          get: () => {
            throw new Error('then')
          },
        }),
    ],
  ])('is answered with 500 and a reference: %s', async (_, result) => {
    const app = open(result as ServerFactory)
    const { status, body } = await app.at('/mcp/a').modern('tools/list')
    expect(status).toBe(500)
    expect(body.error).toMatchObject({ code: -32603, message: expect.stringMatching(REFERENCE) })
  })

  it.each([
    ['undefined', undefined],
    ['a text', 'the password is 1234'],
    ['an object that refers to itself', circular],
    ['a frozen error', Object.freeze(new Error('the password is 1234'))],
    ['a bigint', 1n],
  ])('is answered with 500 and a reference when it throws %s', async (_, thrown) => {
    const app = open(() => {
      throw thrown
    })
    const { status, body } = await app.at('/mcp/a').modern('tools/list')
    expect([status, body.error.code]).toEqual([500, -32603])
    expect(body.error.message).toMatch(REFERENCE)
    expect(JSON.stringify(body)).not.toContain('1234')
    expect(app.events).toContainEqual(
      expect.objectContaining({ type: 'handler-error', subject: 'The factory', error: thrown }),
    )
  })
})

describe('a factory that returns the same server to several callers', () => {
  it('serves it to all of them', async () => {
    const server = newServer().registerTool('one', {}, () => 'one')
    const app = open(() => server)
    expect(await names(app, '/mcp/a')).toEqual(['one'])
    expect(await names(app, '/mcp/b')).toEqual(['one'])
  })

  it('cannot change it for one of them: that caller gets an error, and the others what they had', async () => {
    const server = newServer().registerTool('one', {}, () => 'one')
    const app = open(({ params }) =>
      params.org === 'b' ? server.registerTool('of_b', {}, () => 'b') : server,
    )
    expect(await names(app, '/mcp/a')).toEqual(['one'])
    expect((await app.at('/mcp/b').modern('tools/list')).status).toBe(500)
    expect(app.events).toContainEqual(
      expect.objectContaining({
        error: expect.objectContaining({ message: expect.stringMatching(/already served/) }),
      }),
    )
    expect(await names(app, '/mcp/a')).toEqual(['one'])
    expect(await names(app, '/mcp/c')).toEqual(['one'])
  })

  it('cannot change it after it has returned it', async () => {
    const server = newServer().registerTool('one', {}, () => 'one')
    const app = open(() => server)
    expect(await names(app, '/mcp/a')).toEqual(['one'])
    expect(() => server.registerTool('late', {}, () => 'late')).toThrow(/already served/)
    expect(() => server.use(async (_, next) => next())).toThrow(/already served/)
    expect(() => server.include(newServer())).toThrow(/already served/)
    expect(await names(app, '/mcp/b')).toEqual(['one'])
  })
})

describe('many requests at once', () => {
  it('of one caller call the factory once, also when each is an initialize', async () => {
    let built = 0
    const app = open(async () => {
      built++
      await scheduler.wait(20)
      return newServer()
    }).at('/mcp/a')
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'storm', version: '1' },
    }
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => app.session('initialize', initialize)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(built).toBe(1)
  })

  it('of one caller share one failure, and the next request calls the factory again', async () => {
    let built = 0
    const app = open(async () => {
      built++
      await scheduler.wait(20)
      throw new Error('down')
    }).at('/mcp/a')
    const list = () => app.modern('tools/list')
    const answers = await Promise.all(Array.from({ length: 50 }, list))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]))
    expect(built).toBe(1)
    expect((await list()).status).toBe(500)
    expect(built).toBe(2)
  })

  it('of other callers are served while the factory hangs for many callers', async () => {
    const app = open(
      async ({ params }) => {
        if (params.org?.startsWith('hang')) await new Promise(() => undefined)
        return newServer().registerTool(`of_${params.org}`, {}, () => 'x')
      },
      { factoryTimeoutMs: 1000 },
    )
    const hanging = Array.from({ length: 50 }, (_, index) =>
      app.at(`/mcp/hang${index % 10}`).modern('tools/list'),
    )
    for (let count = 0; count < 20; count++) {
      expect(await names(app, `/mcp/quick${count}`)).toEqual([`of_quick${count}`])
    }
    const statuses = (await Promise.all(hanging)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([500]))
  })

  it('serve each its own definition, with more callers than the isolate keeps', async () => {
    let built = 0
    const app = open(
      async ({ params }) => {
        built++
        if (built % 3 === 0) await scheduler.wait(1)
        return newServer().registerTool(`of_${params.org}`, {}, () => 'x')
      },
      { definitionsPerIsolate: 5 },
    )
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const org = `org${index % 30}`
        expect(await names(app, `/mcp/${org}`)).toEqual([`of_${org}`])
      }),
    )
    expect(built).toBeGreaterThan(30)
  })
})
