/** Tests the OpenAPI description that `edgeway init --openapi` reads. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readApiDescription } from '../cli/init/api-description.ts'

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

  it('is read from a file', async () => {
    const path = write('api.json', { openapi: '3.1.0', servers, paths: {} })
    const { text, needsKey } = await readApiDescription(path)
    expect(JSON.parse(text)).toEqual({ openapi: '3.1.0', servers, paths: {} })
    expect(needsKey).toBe(false)
  })

  it('may begin with a byte order mark', async () => {
    const path = write('api.json', `\uFEFF${JSON.stringify({ openapi: '3.1.0', servers })}`)
    expect(JSON.parse((await readApiDescription(path)).text)).toEqual({ openapi: '3.1.0', servers })
  })

  it('declares credentials with a security scheme', async () => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x' } } }
    const path = write('api.json', { openapi: '3.0.3', servers, components })
    expect((await readApiDescription(path)).needsKey).toBe(true)
  })

  it.each([
    ['YAML', 'openapi: 3.1.0', /is no JSON\. Convert YAML first/],
    ['Swagger 2', { swagger: '2.0' }, /is no OpenAPI 3\.0 or 3\.1 description/],
    ['Swagger 2 to convert', { swagger: '2.0' }, /npx swagger2openapi \S+api\.json -o/],
    ['OpenAPI 4', { openapi: '4.0.0' }, /is no OpenAPI 3\.0 or 3\.1 description/],
    ['a list', [], /is no OpenAPI/],
    ['null', 'null', /is no OpenAPI/],
    ['no servers', { openapi: '3.1.0' }, /no absolute URL/],
    ['a relative server', { openapi: '3.1.0', servers: [{ url: '/v1' }] }, /no absolute URL/],
    ['a server that is no object', { openapi: '3.1.0', servers: [null] }, /no absolute URL/],
    [
      'a server whose variable has no default',
      { openapi: '3.1.0', servers: [{ url: '{scheme}://x' }] },
      /no absolute URL/,
    ],
    [
      'one of several',
      { openapi: '3.1.0', servers, paths: { '/a': { $ref: './a.json' } } },
      /refers to another file, ".\/a.json". Join the files first: npx @redocly\/cli bundle/,
    ],
  ])('is refused when the file is %s', async (_, content, message) => {
    await expect(readApiDescription(write('api.json', content))).rejects.toThrow(message)
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
      response.end(JSON.stringify({ openapi: '3.1.0', servers: relative }))
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
