import { describe, expect, it } from 'vitest'
import { McpServer, ResourceTemplate, ToolError } from '../../src/index.ts'
import type { Resource } from '../../src/protocol/index.ts'
import { openApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

type Listed = { name: string; uri?: string }

async function pages(app: ReturnType<typeof openApp>, method: string, member: string) {
  const found: string[][] = []
  let cursor: string | undefined
  do {
    const { body } = await app.modern(method, cursor === undefined ? {} : { cursor })
    found.push(body.result[member].map(({ uri, name }: Listed) => uri ?? name))
    cursor = body.result.nextCursor
  } while (cursor !== undefined && found.length < 50)
  return found
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`)

describe('lists of registered definitions', () => {
  const build = (count: number) => {
    const server = new McpServer({ name: 's', version: '1' }, { pageSize: 3, listTtlMs: 1234 })
    for (const name of names(count)) {
      server.registerTool(name, {}, () => '')
      server.registerPrompt(name, {}, () => '')
      server.registerResource(name, `n://${name}`, {}, () => '')
      server.registerResource(
        name,
        new ResourceTemplate(`t://${name}/{x}`, { list: undefined }),
        {},
        () => '',
      )
    }
    return openApp(server)
  }

  it.each([
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/templates/list', 'resourceTemplates'],
  ])('returns every item of %s once, in order, page by page', async (method, member) => {
    verifies('prompts/list', 'tools/list')
    expect(await pages(build(7), method, member)).toEqual([
      ['n0', 'n1', 'n2'],
      ['n3', 'n4', 'n5'],
      ['n6'],
    ])
    expect(await pages(build(6), method, member)).toEqual([
      ['n0', 'n1', 'n2'],
      ['n3', 'n4', 'n5'],
    ])
  })

  it('sends the ttlMs and cacheScope of a list', async () => {
    verifies('caching/hints-on-cacheable-results')
    const { body } = await build(1).modern('tools/list')
    expect(body.result).toMatchObject({ ttlMs: 1234, cacheScope: 'public', resultType: 'complete' })
  })

  it.each([
    ['registered tools', 'tools/list', {}],
    ['tools of which one is hidden', 'tools/list', { visible: () => true }],
    ['resources with a template that lists its own', 'resources/list', {}],
  ] as const)('have the same caching hints on every page of %s', async (_, method, config) => {
    verifies('caching/pages-have-one-scope', 'caching/private-pages-stay-private')
    const server = new McpServer({ name: 's', version: '1' }, { pageSize: 2, listTtlMs: 1234 })
    const resources = names(5).map((name) => ({ uri: `w://${name}`, name }))
    const template = new ResourceTemplate('w://{id}', { list: () => ({ resources }) })
    for (const name of names(5)) {
      server.registerTool(name, name === 'n4' ? config : {}, () => '')
      server.registerResource(name, `n://${name}`, {}, () => '')
    }
    server.registerResource('w', template, {}, () => '')
    const app = openApp(server)
    const hints: unknown[] = []
    let cursor: string | undefined
    do {
      const { result } = (await app.modern(method, cursor === undefined ? {} : { cursor })).body
      hints.push({ ttlMs: result.ttlMs, cacheScope: result.cacheScope })
      cursor = result.nextCursor
    } while (cursor !== undefined)
    expect(hints.length).toBeGreaterThan(2)
    expect(hints).toEqual(hints.map(() => hints[0]))
  })

  it('gives the list of a template the expansion of that template', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    const template = new ResourceTemplate('w://{id}', {
      list: (_, { expand }) => ({ resources: [{ uri: expand({ id: 'a b' }), name: 'a b' }] }),
    })
    server.registerResource('w', template, {}, () => '')
    const { result } = (await openApp(server).modern('resources/list', {})).body
    expect(result.resources).toEqual([{ uri: 'w://a%20b', name: 'a b' }])
  })

  it('has no list method for a kind of definition that is not registered', async () => {
    verifies('versioning/discover-is-implemented', 'request-headers/unknown-method-is-not-found')
    verifies('prompts/capability', 'resources/capability', 'tools/capability', 'logging/capability')
    const app = openApp(new McpServer({ name: 's', version: '1' }))
    for (const method of [
      'tools/list',
      'tools/call',
      'prompts/list',
      'resources/list',
      'resources/read',
      'completion/complete',
    ]) {
      const { status, body } = await app.modern(
        method,
        { name: 'x', uri: 'x' },
        { headers: { 'mcp-name': 'x' } },
      )
      expect([method, status, body.error.code]).toEqual([method, 404, -32601])
    }
    expect((await app.modern('server/discover')).body.result.capabilities).toEqual({ logging: {} })
  })

  it('answers equal requests with equal bytes except for the id', async () => {
    verifies('prompts/list-does-not-depend-on-the-connection')
    verifies('resources/list-does-not-depend-on-the-connection')
    verifies('tools/list-does-not-depend-on-the-connection')
    const app = build(2)
    const first = await app.modern('tools/list', {}, { id: 'a "quoted" id \u2603' })
    const second = await app.modern('tools/list', {}, { id: 0 })
    expect(first.body.id).toBe('a "quoted" id \u2603')
    expect(second.body).toEqual({ ...first.body, id: 0 })
  })
})

describe('a definition that is not visible to the principal', () => {
  const server = new McpServer({ name: 's', version: '1' }, { pageSize: 2 })
  const hidden = { visible: () => false }
  server.registerTool('open', {}, () => 'open')
  server.registerTool('hidden', hidden, () => 'hidden')
  server.registerTool('anonymous', { visible: (auth) => auth === undefined }, () => 'anonymous')
  server.registerPrompt('hidden', hidden, () => '')
  server.registerResource('hidden', 'h://h', hidden, () => '')
  server.registerResource(
    'hidden',
    new ResourceTemplate('h://t/{id}', { list: undefined, complete: { id: () => ['x'] } }),
    hidden,
    () => '',
  )
  server.registerTool('scoped', { scopes: ['admin', 'write'] }, () => 'scoped')
  const app = openApp(server)

  it('is missing from the list, and the list is private', async () => {
    verifies('prompts/list', 'resources/list', 'tools/list', 'caching/public-responses-are-shared')
    expect(await pages(app, 'tools/list', 'tools')).toEqual([['open', 'anonymous'], ['scoped']])
    expect((await app.modern('tools/list')).body.result).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    })
    expect(await pages(app, 'prompts/list', 'prompts')).toEqual([[]])
    expect(await pages(app, 'resources/list', 'resources')).toEqual([[]])
    expect(await pages(app, 'resources/templates/list', 'resourceTemplates')).toEqual([[]])
  })

  it('is answered like a definition that does not exist', async () => {
    verifies('prompts/inputs-and-outputs-are-validated', 'tools/access-is-controlled')
    verifies('caching/access-control-per-primitive', 'caching/scope-is-no-access-control')
    const same = async (method: string, seen: object, unseen: object) => {
      const [a, b] = [
        await app.modern(method, { ...seen }),
        await app.modern(method, { ...unseen }),
      ]
      expect([a.status, a.body.error.code]).toEqual([b.status, b.body.error.code])
      return a.body.error.message
    }
    expect(await same('tools/call', { name: 'hidden' }, { name: 'nothing' })).toBe(
      'Unknown tool: hidden',
    )
    expect(await same('prompts/get', { name: 'hidden' }, { name: 'nothing' })).toBe(
      'Unknown prompt: hidden',
    )
    expect(await same('resources/read', { uri: 'h://h' }, { uri: 'h://nothing' })).toBe(
      'Resource not found',
    )
    expect(await same('resources/read', { uri: 'h://t/1' }, { uri: 'h://u/1' })).toBe(
      'Resource not found',
    )
  })

  it('is hidden and reported to telemetry when its visible callback throws', async () => {
    const broken = new McpServer({ name: 's', version: '1' })
    const visible = () => {
      throw new Error('no database')
    }
    broken.registerTool('open', {}, () => 'open')
    broken.registerTool('broken', { visible }, () => 'broken')
    const open = openApp(broken)
    expect(await pages(open, 'tools/list', 'tools')).toEqual([['open']])
    const { status, body } = await open.modern('tools/call', { name: 'broken' })
    expect([status, body.error.code, body.id]).toEqual([200, -32602, 1])
    expect(open.events).toContainEqual(
      expect.objectContaining({ type: 'handler-error', subject: 'Tool broken' }),
    )
  })

  it('requires its scopes for completion and for listing too', async () => {
    verifies('caching/scope-is-no-access-control', 'completion/access-is-controlled')
    const guarded = new McpServer({ name: 's', version: '1' })
    const template = new ResourceTemplate('g://{id}', {
      list: () => ({ resources: [{ uri: 'g://secret', name: 'secret' }] }),
      complete: { id: () => ['secret'] },
    })
    guarded.registerResource('g', template, { scopes: ['read'] }, () => '')
    const open = openApp(guarded)
    expect(await pages(open, 'resources/list', 'resources')).toEqual([[]])
    const ref = { type: 'ref/resource', uri: 'g://{id}' }
    expect(
      (await open.modern('completion/complete', { ref, argument: { name: 'id', value: '' } }))
        .status,
    ).toBe(403)
  })

  it('has its scopes checked before the handler runs', async () => {
    verifies('tools/access-is-controlled', 'caching/access-control-per-primitive')
    const { status, headers, body } = await app.modern('tools/call', { name: 'scoped' })
    expect([status, body.error.code, body.id]).toEqual([403, -32600, 1])
    expect(headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="admin write"',
    )
  })
})

describe('resources that a template lists', () => {
  const items = (prefix: string, count: number): Resource[] =>
    names(count).map((name) => ({ uri: `${prefix}://${name}`, name }))

  function build(count: number) {
    const server = new McpServer({ name: 's', version: '1' }, { pageSize: 4 })
    server.registerResource('s', 's://s', {}, () => '')
    server.registerResource(
      'whole',
      new ResourceTemplate('w://{id}', { list: () => ({ resources: items('w', count) }) }),
      {},
      () => '',
    )
    server.registerResource(
      'unlisted',
      new ResourceTemplate('u://{id}', { list: undefined }),
      {},
      () => '',
    )
    server.registerResource(
      'paged',
      new ResourceTemplate('p://{id}', {
        list: (_, { cursor }) => {
          const at = Number(cursor ?? 0)
          const all = items('p', count)
          const next = at + 3
          return {
            resources: all.slice(at, next),
            ...(next < all.length && { nextCursor: String(next) }),
          }
        },
      }),
      {},
      () => '',
    )
    return openApp(server)
  }

  it.each([0, 1, 2, 3, 4, 5, 9])(
    'come after the registered ones, each once, with %i under each',
    async (count) => {
      verifies('resources/list')
      const found = await pages(build(count), 'resources/list', 'resources')
      const expected = ['s://s', ...items('w', count), ...items('p', count)].map((item) =>
        typeof item === 'string' ? item : item.uri,
      )
      expect(found.flat()).toEqual(expected)
      expect(Math.max(...found.map((page) => page.length))).toBeLessThanOrEqual(4)
    },
  )

  it('are listed for the caller only', async () => {
    verifies('caching/public-responses-are-shared')
    const { body } = await build(1).modern('resources/list')
    expect(body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  })

  it('are answered with an error when the cursor names an item that no longer exists', async () => {
    const app = build(9)
    const { body } = await app.modern('resources/list')
    const forged = `1${btoa(JSON.stringify({ s: 'w://{id}', a: 'w://gone' })).replaceAll('=', '')}`
    for (const cursor of [
      forged,
      `${body.result.nextCursor}x`,
      body.result.nextCursor.slice(1),
      `1${btoa('{"s":"none"}')}`,
      `1${btoa('{"s":1}')}`,
      `1${btoa('[]')}`,
      `1${btoa('{"s": "w://{id}","a":"w://n1"}')}`,
      `1${btoa('{"s":"w://{id}","a":"w://n1","z":1}')}`,
      'ä',
      'x'.repeat(20_000),
    ]) {
      expect((await app.modern('resources/list', { cursor })).body.error.code).toBe(-32602)
    }
  })

  it('are answered with invalid params when the list callback throws a ToolError for its cursor', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    const list = (_: unknown, { cursor }: { cursor: string | undefined }) => {
      if (cursor !== undefined && cursor !== 'mine') throw new ToolError('No such page')
      return { resources: [], ...(cursor === undefined && { nextCursor: 'mine' }) }
    }
    server.registerResource('p', new ResourceTemplate('p://{id}', { list }), {}, () => '')
    const app = openApp(server)
    const { nextCursor } = (await app.modern('resources/list')).body.result
    expect(
      (await app.modern('resources/list', { cursor: nextCursor })).body.result.resources,
    ).toEqual([])
    const forged = `1${btoa('{"s":"p://{id}","c":"yours"}').replaceAll('=', '')}`
    expect((await app.modern('resources/list', { cursor: forged })).body.error).toEqual({
      code: -32602,
      message: 'No such page',
    })
  })

  it('are answered with an internal error when the list callback does not return a list', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerResource(
      'bad',
      new ResourceTemplate('b://{id}', { list: () => ({ resources: [{}] }) as never }),
      {},
      () => '',
    )
    const app = openApp(server)
    const { body } = await app.modern('resources/list')
    expect(body.error.code).toBe(-32603)
    expect(app.events).toMatchObject([
      { type: 'bad-result', message: expect.stringContaining('b://{id}') },
    ])
  })
})
