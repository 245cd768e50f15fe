/** Hostile paths, queries and storms against a server from a factory, over HTTP. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROJECT_DIRECTORY } from '../../scripts/support/project.ts'
import { Connection } from '../faults/connection.ts'
import { delay } from '../faults/sessions/delay.ts'
import { residentMegabytes } from '../faults/sessions/memory.ts'
import { HttpSession } from '../support/http-session.ts'
import { type LoggedServer, startLoggedServer } from '../support/node/fixture-server.ts'
import { callTool, requestOf } from './modern.ts'

let server: LoggedServer
let origin: string

beforeAll(async () => {
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/factories/wrangler.toml')
  server = await startLoggedServer({ configPath, port: 0, vars: {} })
  origin = new URL(server.url).origin
})
afterAll(() => server.stop())

const urlOf = (name: string) => `${origin}/mcp/${name}`

/** The text of a tool's result. */
async function textOf(url: string, tool: string): Promise<string> {
  const { result } = await callTool(url, tool)
  return readText(result)
}

function readText(result: unknown): string {
  return (result as { readonly content: readonly [{ readonly text: string }] }).content[0].text
}

/** A modern call of a tool as bytes, with a request target of any form. */
async function rawCall(target: string, tool: string): Promise<Buffer> {
  const { headers, body } = requestOf(urlOf('x'), 'tools/call', { name: tool }, tool)
  const text = await new Response(body).text()
  const lines = [`POST ${target} HTTP/1.1`, `host: ${new URL(origin).host}`]
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  lines.push(`content-length: ${text.length}`, '', text)
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

/** Calls the tool `params` at a request target, byte for byte. */
async function callRaw(target: string): Promise<{ status: number; params: unknown }> {
  const connection = await Connection.open(server.url)
  await connection.write(await rawCall(target, 'params'))
  const { status, body } = await connection.response()
  connection.close()
  const params = status === 200 ? JSON.parse(readText(JSON.parse(body).result)) : undefined
  return { status, params }
}

describe('a path with params', () => {
  it.each<[string, string, unknown]>([
    ['a trailing slash', '/mcp/a/', { name: 'a' }],
    ['the name of a member of objects', '/mcp/__proto__', { name: '__proto__' }],
  ])('is served with %s', async (_, target, params) => {
    expect(await callRaw(target)).toEqual({ status: 200, params })
  })

  it.each([
    ['dot segments after it', '/mcp/a/../b'],
    ['dot segments before it', '/x/../mcp/a'],
    ['encoded dot segments after it', '/mcp/a/%2e%2E/b'],
    ['a value of two dots', '/mcp/..'],
    ['a value of two encoded dots', '/mcp/%2e%2e'],
    ['a value of a dot', '/mcp/%2e'],
    ['a backslash', '/mcp/a\\b'],
    ['two slashes', '/mcp//a'],
  ])('is not found with %s', async (_, target) => {
    expect((await callRaw(target)).status).toBe(404)
  })
})

describe('a factory', () => {
  const builtFor = async (name: string): Promise<number> =>
    JSON.parse(await textOf(urlOf('reader'), 'built')).counts[name] ?? 0

  it('is called once for a storm of initializes, and each opens a session', async () => {
    const url = urlOf('slow-storm')
    const sessions = await Promise.all(Array.from({ length: 100 }, () => HttpSession.open({ url })))
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(100)
    expect(await builtFor('slow-storm')).toBe(1)
  })

  it('that hangs is called once for all that wait for it, and they fail together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => callTool(urlOf('hang-together'), 'params')),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]))
    expect(await builtFor('hang-together')).toBe(1)
  })

  it('that hangs or throws delays no other caller', async () => {
    const hanging = Array.from({ length: 30 }, (_, index) =>
      callTool(urlOf(`hang-${index % 5}`), 'params'),
    )
    const throwing = Array.from({ length: 30 }, () => callTool(urlOf('throw'), 'params'))
    let isOver = false
    const all = Promise.all([...hanging, ...throwing]).finally(() => {
      isOver = true
    })
    for (let count = 0; count < 20; count++) {
      const params = JSON.parse(await textOf(urlOf(`quick-${count}`), 'params'))
      expect(params).toEqual({ name: `quick-${count}` })
    }
    expect(isOver).toBe(false)
    for (const { status, error } of await all) {
      expect([status, error?.code]).toEqual([500, -32603])
    }
  })

  it('whose caller disconnects still serves those that have waited for the same definition', async () => {
    const url = urlOf('slow-abandoned')
    const abort = new AbortController()
    const request = () => requestOf(url, 'tools/call', { name: 'params' }, 'params')
    const first = fetch(request(), { signal: abort.signal })
    await delay(300)
    const followers = [1, 2, 3].map(() => callTool(url, 'params'))
    await delay(300)
    abort.abort()
    await expect(first).rejects.toThrow()
    const statuses = (await Promise.all(followers)).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200])
  })

  it('keeps a bounded number of definitions for 10,000 different params', async () => {
    const before = await residentMegabytes(server.pid)
    const call = (await rawCall('/mcp/NAME', 'length')).toString('latin1')
    let next = 0
    const work = async () => {
      const connection = await Connection.open(server.url)
      while (next < 10_000) {
        next++
        await connection.write(call.replace('NAME', `many-${next}`))
        const { status, body } = await connection.response()
        if (status !== 200) throw new Error(`many-${next}: ${status} ${body}`)
      }
      connection.close()
    }
    await Promise.all([work(), work(), work(), work()])
    const growth = (await residentMegabytes(server.pid)) - before
    // All definitions together have 500 MB of instructions, those that are kept 10 MB.
    expect(growth).toBeLessThan(250)
    expect((await callTool(urlOf('many-1'), 'length')).status).toBe(200)
  })
})
