// features: asks
import { describe, expect, it } from 'vitest'
import { ResourceTemplate } from '../../src/index.ts'
import { FullServer } from '../support/full-server.ts'
import { createSampleServer } from '../support/sample-server.ts'
import { openApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'

const app = openApp(createSampleServer())
const contents = async (uri: string) =>
  (await app.modern('resources/read', { uri })).body.result.contents

describe('resources/read', () => {
  it('sends text and bytes with the mimeType of the definition', async () => {
    verifies('resources/binary-data-is-encoded')
    expect(await contents('sample://a')).toEqual([
      { uri: 'sample://a', mimeType: 'text/plain', text: 'is a' },
    ])
    expect(await contents('sample://bytes')).toEqual([
      { uri: 'sample://bytes', mimeType: 'image/png', blob: 'AAH+/w==' },
    ])
  })
  it('passes percent-decoded variables to the read callback of a template', async () => {
    expect((await contents('sample://item/a%20b'))[0].text).toBe('item a b')
  })
  it('finds a resource by an equivalent URI', async () => {
    const server = new FullServer({ name: 's', version: '1' })
    server.registerResource('r', 'https://Example.com/a', {}, (uri) => uri.href)
    const open = openApp(server)
    for (const uri of [
      'https://Example.com/a',
      'https://example.com/a',
      'HTTPS://EXAMPLE.COM/b/../a',
    ]) {
      const { body } = await open.modern('resources/read', { uri })
      expect(body.result.contents).toEqual([{ uri, text: 'https://example.com/a' }])
    }
  })
  it.each([
    ' sample://a',
    'sample://a ',
    'sample://\na',
    'sam\tple://a',
    'sample://a\u0000',
    'sample://a\u007f',
  ])('answers invalid params for the URI %j', async (uri) => {
    verifies('resources/uris-are-validated')
    const headers = { 'mcp-name': `=?base64?${btoa(uri)}?=` }
    const { body } = await app.modern('resources/read', { uri }, { headers })
    expect(body.error.message).toBe('params.uri must be an absolute URI')
  })
  it('does not match a URI with dot segments outside its template', async () => {
    verifies('resources/no-directory-traversal')
    const server = new FullServer({ name: 's', version: '1' })
    server.registerResource(
      'f',
      new ResourceTemplate('file:///docs/{+path}', { list: undefined }),
      {},
      (uri) => uri.pathname,
    )
    const open = openApp(server)
    for (const uri of [
      'file:///docs/../etc/passwd',
      'file:///docs/a/../../etc',
      'file:///docs/%2e%2e/etc',
      'file:///docs/.%2E/etc',
    ]) {
      expect((await open.modern('resources/read', { uri })).body.error.message).toBe(
        'Resource not found',
      )
    }
    expect(
      (await open.modern('resources/read', { uri: 'file:///docs/a/../b' })).body.result.contents[0]
        .text,
    ).toBe('/docs/b')
  })
  it('sends the caching hints of the definition', async () => {
    verifies('caching/hints-on-cacheable-results', 'caching/ttl-is-not-negative')
    verifies('caching/public-responses-are-shared')
    const server = new FullServer({ name: 's', version: '1' })
    server.registerResource('r', 'r://r', { ttlMs: 60_000, cacheScope: 'public' }, () => 'x')
    server.registerResource('d', 'r://d', {}, () => 'x')
    const open = openApp(server)
    expect((await open.modern('resources/read', { uri: 'r://r' })).body.result).toMatchObject({
      ttlMs: 60_000,
      cacheScope: 'public',
    })
    expect((await open.modern('resources/read', { uri: 'r://d' })).body.result).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    })
  })
  it('has no caching time when the request carries answers', async () => {
    verifies('caching/results-of-retries-are-not-cached')
    const server = new FullServer({ name: 's', version: '1' })
    server.registerResource('r', 'r://r', { ttlMs: 60_000, cacheScope: 'public' }, async (_, ctx) =>
      String((await ctx.listRoots({ key: 'roots' })).length),
    )
    const open = openApp(server)
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { roots: {} } }
    const inputResponses = { roots: { roots: [] } }
    const { body } = await open.modern('resources/read', { uri: 'r://r', inputResponses }, { meta })
    expect(body.result).toMatchObject({
      contents: [{ text: '0' }],
      ttlMs: 0,
      cacheScope: 'private',
    })
  })
  it.each([
    ['contents', { uri: 'x://y', text: 'a' }],
    ['a list', [{ uri: 'x://y', text: 'a' }]],
    ['a result', { contents: [{ uri: 'x://y', text: 'a' }] }],
  ])('sends %s unchanged', async (_, value) => {
    const server = new FullServer({ name: 's', version: '1' })
    server.registerResource('r', 'r://r', { mimeType: 'text/plain' }, () => value as never)
    expect(
      (await openApp(server).modern('resources/read', { uri: 'r://r' })).body.result.contents,
    ).toEqual([{ uri: 'x://y', text: 'a' }])
  })
  it.each([
    5,
    null,
    {},
    { contents: [{}] },
    { contents: 'x' },
    [{ uri: 'x://y' }],
    [{ uri: 'x://y', text: 'a', blob: 'b' }],
  ])('answers an error when a read callback returns %j', async (value) => {
    const server = new FullServer({ name: 's', version: '1' })
    server.registerResource('r', 'r://r', {}, () => value as never)
    expect((await openApp(server).modern('resources/read', { uri: 'r://r' })).body.error.code).toBe(
      -32603,
    )
  })
})

describe('prompts/list and prompts/get', () => {
  it('lists arguments and marks the required ones', async () => {
    const { body } = await app.modern('prompts/list')
    expect(body.result.prompts).toEqual([
      {
        name: 'greet',
        description: 'Greets',
        arguments: [
          { name: 'who', required: true },
          { name: 'style', required: false },
        ],
      },
    ])
  })
  it('sends returned text as a message of the user', async () => {
    const { body } = await app.modern('prompts/get', { name: 'greet', arguments: { who: 'Ada' } })
    expect(body.result).toMatchObject({
      description: 'Greets',
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada' } }],
    })
  })
  it.each([
    5,
    undefined,
    {},
    [{ role: 'system', content: { type: 'text', text: 'x' } }],
    [{ role: 'user', content: 'x' }],
    [null],
  ])('answers an error when a prompt handler returns %j', async (value) => {
    verifies('prompts/inputs-and-outputs-are-validated')
    const server = new FullServer({ name: 's', version: '1' })
    server.registerPrompt('p', {}, () => value as never)
    expect((await openApp(server).modern('prompts/get', { name: 'p' })).body.error.code).toBe(
      -32603,
    )
  })
})

describe('completion/complete', () => {
  const complete = async (ref: unknown, name: unknown, value: unknown, context?: unknown) => {
    const params = { ref, argument: { name, value }, ...(context !== undefined && { context }) }
    return (await app.modern('completion/complete', params as never)).body
  }
  const prompt = { type: 'ref/prompt', name: 'greet' }
  const template = { type: 'ref/resource', uri: 'sample://item/{id}' }

  it('completes a prompt argument with the other arguments in context', async () => {
    expect(
      (await complete(prompt, 'who', 'A', { arguments: { style: 'verse' } })).result.completion,
    ).toEqual({
      values: ['A!', 'verse'],
      total: 2,
      hasMore: false,
    })
  })
  it('completes a template variable', async () => {
    expect((await complete(template, 'id', 'a')).result.completion).toEqual({
      values: ['alpha'],
      total: 1,
      hasMore: false,
    })
  })
  it('answers no values for an argument without a completion', async () => {
    expect((await complete(prompt, 'style', 'v')).result.completion).toEqual({
      values: [],
      hasMore: false,
    })
    expect(
      (await complete({ type: 'ref/resource', uri: 'sample://a' }, 'x', '')).result.completion,
    ).toEqual({ values: [], hasMore: false })
  })
  it('answers at most 100 values and sets hasMore', async () => {
    const server = new FullServer({ name: 's', version: '1' })
    const all = Array.from({ length: 150 }, (_, index) => `v${index}`)
    server.registerResource(
      'r',
      new ResourceTemplate('r://{a}/{b}', {
        list: undefined,
        complete: { a: () => all, b: () => ({ values: ['x'], total: 9, hasMore: true }) },
      }),
      {},
      () => '',
    )
    const open = openApp(server)
    const ask = async (name: string) =>
      (
        await open.modern('completion/complete', {
          ref: { type: 'ref/resource', uri: 'r://{a}/{b}' },
          argument: { name, value: '' },
        })
      ).body.result.completion
    expect(await ask('a')).toEqual({ values: all.slice(0, 100), total: 150, hasMore: true })
    expect(await ask('b')).toEqual({ values: ['x'], total: 9, hasMore: true })
  })
  it.each([
    ['no reference', undefined, 'who', ''],
    ['an unknown kind', { type: 'ref/tool', name: 'echo' }, 'who', ''],
    ['an unknown prompt', { type: 'ref/prompt', name: 'nope' }, 'who', ''],
    ['an unknown template', { type: 'ref/resource', uri: 'x://{id}' }, 'id', ''],
    ['an unknown argument', prompt, 'nope', ''],
    ['an argument of the prototype', prompt, '__proto__', ''],
    ['an unknown variable', template, 'constructor', ''],
    ['a name that is a number', prompt, 1, ''],
    ['a value that is missing', prompt, 'who', undefined],
    ['a context that is a list', prompt, 'who', '', []],
    ['context arguments that are numbers', prompt, 'who', '', { arguments: { a: 1 } }],
  ])('answers an error for %s', async (_, ref, name, value, context?: unknown) => {
    verifies('completion/inputs-are-validated')
    expect((await complete(ref, name, value, context)).error.code).toBe(-32602)
  })
})
