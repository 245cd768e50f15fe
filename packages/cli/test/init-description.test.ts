// features: all
/** Tests the OpenAPI description that `edgeway init --openapi` reads. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readApiDescription } from '../src/init/api-description.ts'

const TEMPORARY = mkdtempSync(join(tmpdir(), 'edgeway-description-'))
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(TEMPORARY, 'case-'))
})

afterAll(() => rmSync(TEMPORARY, { recursive: true, force: true }))

describe('the OpenAPI description of a new server', () => {
  const write = (name: string, content: unknown) => {
    const path = join(folder, name)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const servers = [{ url: 'https://api.example.com/v1' }]
  const paths = { '/a': { get: { operationId: 'list' } } }
  const api = { openapi: '3.1.0', servers, paths }

  it('is read from a file', async () => {
    const { text, needsKey } = await readApiDescription(write('api.json', api))
    expect(JSON.parse(text)).toEqual(api)
    expect(needsKey).toBe(false)
  })

  it.each([
    ['the URL of the API', {}, 'https://api.example.com/v1'],
    [
      'the URL of its first operation',
      { servers: [{ url: "https://it's.example/a'b" }] },
      'https://it%27s.example/a%27b',
    ],
  ])('has %s as text that code can quote', async (_, own, url) => {
    const path = write('api.json', { ...api, paths: { '/a': { get: own } } })
    expect((await readApiDescription(path)).baseUrl).toBe(url)
  })

  it('may begin with a byte order mark', async () => {
    const path = write('api.json', `\uFEFF${JSON.stringify(api)}`)
    expect(JSON.parse((await readApiDescription(path)).text)).toEqual(api)
  })

  it('declares credentials with a security scheme', async () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x' } } }
    const path = write('api.json', { ...api, openapi: '3.0.3', components })
    expect((await readApiDescription(path)).needsKey).toBe(true)
  })

  const withServer = (url: string, variables?: object) => ({
    ...api,
    servers: [{ url, variables }],
  })

  it.each([
    ['YAML', 'openapi: 3.1.0', /is no JSON\. Convert YAML first/],
    ['Swagger 2', { swagger: '2.0' }, /is no OpenAPI 3\.0 or 3\.1 description/],
    ['Swagger 2 to convert', { swagger: '2.0' }, /npx swagger2openapi \S+api\.json -o/],
    ['OpenAPI 4', { openapi: '4.0.0' }, /is no OpenAPI 3\.0 or 3\.1 description/],
    ['a list', [], /is no OpenAPI/],
    ['null', 'null', /is no OpenAPI/],
    ['one without servers', { ...api, servers: undefined }, /there are no servers/],
    ['one with a relative server', withServer('/v1'), /the URL of the server is not absolute/],
    ['one whose server is no object', { ...api, servers: [null] }, /a server needs a url/],
    [
      'one whose server has a variable without a default',
      withServer('https://{tenant}.example.com'),
      /the server variable "tenant" has no default/,
    ],
    [
      'one whose server has a variable outside its enum',
      withServer('https://{a}.example.com', { a: { default: 'b', enum: ['c'] } }),
      /the value of the server variable "a" is not one of its enum/,
    ],
    ['one whose server has a query', withServer('https://a.example?key=1'), /has a query/],
    [
      'one of several',
      { ...api, paths: { '/a': { $ref: './a.json' } } },
      /cannot be served: \/a: the reference ".\/a.json" .* npx @redocly\/cli bundle .* was written\./,
    ],
    ['one without operations', { ...api, paths: {} }, /no operation becomes a tool/],
    [
      'one whose operations are deprecated',
      { ...api, paths: { '/a': { get: { deprecated: true } } } },
      /no operation becomes a tool/,
    ],
    [
      'one that is nested too deeply',
      `{"x-d":${'['.repeat(20_000)}${']'.repeat(20_000)},${JSON.stringify(api).slice(1)}`,
      /api\.json is nested too deeply\. Nothing was written\./,
    ],
  ])('is refused when the file is %s', async (_, content, message) => {
    await expect(readApiDescription(write('api.json', content))).rejects.toThrow(message)
  })

  it('is refused when it has an operation with the name of a tool that every new server has', async () => {
    const tools = readFileSync(
      join(import.meta.dirname, '../../../starter/base/src/tools.ts'),
      'utf8',
    )
    const names = [...tools.matchAll(/registerTool\(\s*'(\w+)'/g)].map(([, name]) => name)
    expect(names).toHaveLength(2)
    for (const operationId of names) {
      const path = write('api.json', { ...api, paths: { '/a': { get: { operationId } } } })
      await expect(readApiDescription(path)).rejects.toThrow(`has a tool ${operationId} of its own`)
    }
  })

  it('may have its servers on the operations alone, and references to files in webhooks', async () => {
    const content = {
      openapi: '3.1.0',
      paths: { '/a': { get: { servers } } },
      webhooks: { a: { $ref: './a.json' } },
    }
    const { text } = await readApiDescription(write('api.json', content))
    expect(JSON.parse(text)).toEqual(content)
  })

  it('may have a version without a patch, a scheme that is a variable, and references of examples', async () => {
    const variable = [{ url: '{scheme}://x/', variables: { scheme: { default: 'https' } } }]
    const operation = { parameters: [{ name: 'a', in: 'query', example: { $ref: 'a.json' } }] }
    const paths = { '/a': { parameters: [], get: operation, put: { deprecated: true } } }
    const path = write('api.json', { openapi: '3.1', servers: variable, paths })
    const { text, operations } = await readApiDescription(path)
    expect(JSON.parse(text).servers).toEqual(variable)
    expect(operations).toBe(1)
  })

  it('is refused when the file does not exist or is a folder', async () => {
    await expect(readApiDescription(join(folder, 'none.json'))).rejects.toThrow(/There is no file/)
    await expect(readApiDescription(folder)).rejects.toThrow(/There is no file/)
  })

  it('is downloaded, and its relative servers belong to the host of the URL', async () => {
    const server = createServer((request, response) => {
      if (request.url !== '/docs/api.json') response.statusCode = 404
      const relative = ['/v2', '../v3', '{scheme}://x', 'https://y'].map((url) => ({ url }))
      response.end(JSON.stringify({ ...api, servers: relative }))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { text } = await readApiDescription(`${origin}/docs/api.json`)
    expect(JSON.parse(text).servers).toEqual([
      { url: `${origin}/v2` },
      { url: `${origin}/v3` },
      { url: '{scheme}://x' },
      { url: 'https://y' },
    ])
    await expect(readApiDescription(`${origin}/other`)).rejects.toThrow(/status 404/)
  })
})
