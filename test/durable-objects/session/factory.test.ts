// features: sessions
import { createExecutionContext, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import type { SessionObject } from '../../../durable-objects/session/session-object.ts'
import { principalContext } from '../../../src/protocol/principal.ts'
import { advanceClock } from '../../support/clock.ts'
import {
  builtFor,
  factoryApp,
  factoryEvents,
  factoryFaults,
  ORIGIN,
} from '../../support/factory-server.ts'
import { HttpSession } from '../../support/http-session.ts'
import { connectHttpSse } from '../../support/http-sse-client.ts'
import { objectsOfKind, testSealer } from '../../support/objects.ts'
import type { SseReader, WireMessage } from '../../support/sse-reader.ts'
import { modernRequest } from '../../support/test-app.ts'

/** More than the default of `limits.definitionMaxAgeMs`. */
const DEFINITION_AGE_MS = 301_000

const YES = { action: 'accept', content: { ok: true } }

const send = async (caller: string, request: Request): Promise<Response> => {
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${caller}`)
  return factoryApp.fetch(new Request(request, { headers }), env, createExecutionContext())
}

const endpoint = (caller: string, path: string) => ({
  url: `${ORIGIN}${path}`,
  fetch: (request: Request) => send(caller, request),
})

const open = (caller: string, path = '/mcp') => HttpSession.open(endpoint(caller, path))

async function modern(
  caller: string,
  method: string,
  params: Record<string, unknown> = {},
  path = '/mcp',
) {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
  const { body, headers } = modernRequest(method, params, { meta })
  const init = { method: 'POST', body: JSON.stringify(body) }
  const sent = new Headers({
    ...(headers as Record<string, string>),
    'content-type': 'application/json',
  })
  sent.set('accept', 'application/json, text/event-stream')
  const response = await send(caller, new Request(`${ORIGIN}${path}`, { ...init, headers: sent }))
  return (await response.json()) as WireMessage
}

const toolsOf = (message: WireMessage): string[] =>
  message.result.tools.map(({ name }: { name: string }) => name)
const textOf = ({ result }: WireMessage) => result.content[0].text

/** Evicts the object of a session: what it had in memory is gone. */
async function evict({ id }: HttpSession, caller: string, path: string): Promise<void> {
  const auth = {
    issuer: ORIGIN,
    subject: caller,
    resource: `${ORIGIN}${path}`,
    clientId: '',
    scopes: [],
  }
  const sealer = testSealer()
  const opened = await sealer.open('session-id/1', id, principalContext('factory', auth))
  const { name } = JSON.parse(new TextDecoder().decode(opened))
  await evictDurableObject(objectsOfKind<SessionObject>('session', 'factory').named(name))
}

/** Calls `ask` and returns its stream at the question. */
async function ask(session: HttpSession): Promise<{ stream: SseReader; question: WireMessage }> {
  const stream = await session.streamTool('ask')
  return { stream, question: await stream.message() }
}

afterEach(() => factoryFaults.clear())

describe('a session of a server from a factory', () => {
  it('has the definition of its caller, as the modern era has', async () => {
    for (const caller of ['alice', 'bob']) {
      const own = [`tool_of_${caller}`, 'ask']
      const session = await open(caller)
      expect(toolsOf(await session.request('tools/list'))).toEqual(own)
      expect(toolsOf(await modern(caller, 'tools/list'))).toEqual(own)
      expect(textOf(await session.request('tools/call', { name: `tool_of_${caller}` }))).toBe(
        `${caller} ${caller}`,
      )
    }
  })

  it('does not have the tools, resources and prompts of another caller', async () => {
    await open('alice').then((session) => session.request('tools/list'))
    const session = await open('bob')
    const call = await session.request('tools/call', { name: 'tool_of_alice' })
    expect(call.error.message).toBe('Unknown tool: tool_of_alice')
    const read = await session.request('resources/read', { uri: 'note://alice' })
    expect(read.error.message).toMatch(/not found/i)
  })

  it('has another definition when the scopes of its caller change', async () => {
    const session = await open('carol')
    expect(textOf(await session.request('tools/call', { name: 'tool_of_carol' }))).toBe(
      'carol carol',
    )
    const widened = new HttpSession(endpoint('carol read', '/mcp'), session.id, session.version)
    expect(textOf(await widened.request('tools/call', { name: 'tool_of_carol' }))).toBe(
      'carol+read carol',
    )
  })

  it('builds its definition once in the Worker and once in the object, for many requests', async () => {
    const session = await open('dave')
    for (let count = 0; count < 10; count++) await session.request('tools/list')
    expect(builtFor.filter((built) => built.startsWith('dave '))).toHaveLength(2)
  })

  it('resumes a run with the definition of its caller and the params of its path', async () => {
    const session = await open('erin', '/mcp/acme')
    const { stream, question } = await ask(session)
    await evict(session, 'erin', '/mcp/acme')
    expect(await session.answer(question, YES)).toBe(202)
    const answered = await session.listen(stream.lastId)
    expect(textOf(await answered.message())).toBe('erin acme erin accept')
  })

  it('ends a run whose tool is not offered any more, and says so', async () => {
    const session = await open('frank')
    const { stream, question } = await ask(session)
    await evict(session, 'frank', '/mcp')
    factoryFaults.set('frank', 'without-tools')
    advanceClock(DEFINITION_AGE_MS)
    expect(await session.answer(question, YES)).toBe(202)
    const { error } = await (await session.listen(stream.lastId)).message()
    expect(error.message).toBe('ask is not offered to you any more, so its call cannot go on')
  })

  it('answers with a reference when the factory fails, and serves the next request', async () => {
    const session = await open('grace')
    factoryFaults.set('grace', 'throws')
    advanceClock(DEFINITION_AGE_MS)
    const { error } = await session.request('tools/list')
    expect(error).toMatchObject({ code: -32603 })
    expect(error.message).toMatch(/could not build its definition for you \(reference/)
    expect(factoryEvents).toContainEqual(
      expect.objectContaining({ type: 'handler-error', subject: 'The factory' }),
    )
    factoryFaults.clear()
    expect(toolsOf(await session.request('tools/list'))).toEqual(['tool_of_grace', 'ask'])
  })

  it.each([
    ['another value', '/mcp/other'],
    ['no value', '/mcp'],
    ['a further param', '/mcp/acme?readonly'],
  ])('is not found with %s of a param', async (_, path) => {
    const session = await open('heidi', '/mcp/acme')
    session.url = `${ORIGIN}${path}`
    expect((await session.send('tools/list')).status).toBe(404)
    expect((await session.end()).status).toBe(404)
  })
})

describe('a session of 2024-11-05 of a server from a factory', () => {
  const connect = (caller: string, path: string, lastEventId?: string) =>
    connectHttpSse({ fetch: (request) => send(caller, request) }, lastEventId, `${ORIGIN}${path}`)

  it('has the params of the path and of the query of its stream', async () => {
    const { send: post, stream, url } = await connect('kim', '/sse/ac%6De?readonly')
    const introduction = { protocolVersion: '2024-11-05', capabilities: { elicitation: {} } }
    await post('initialize', { ...introduction, clientInfo: { name: 'old', version: '1' } })
    await stream.message()
    expect((await post('tools/call', { name: 'ask' })).status).toBe(202)
    const { id } = await stream.message()
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: YES })
    const headers = { 'content-type': 'application/json' }
    await send('kim', new Request(url, { method: 'POST', headers, body }))
    expect(textOf(await stream.message())).toBe('kim acme kim accept')
    expect(builtFor).toContain('kim {"org":"acme","readonly":""}')
    expect(builtFor.filter((built) => built.startsWith('kim '))).not.toContain('kim {}')
  })

  it.each([
    ['another value', '/messages/other'],
    ['a further param', '/messages/acme?readonly'],
  ])('is not found at a URL for messages with %s', async (_, path) => {
    const { id } = await connect('lee', '/sse/acme')
    const url = new URL(path, ORIGIN)
    url.searchParams.set('sessionId', id)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const headers = { 'content-type': 'application/json' }
    const response = await send('lee', new Request(url, { method: 'POST', headers, body }))
    expect(response.status).toBe(404)
  })

  it.each([
    ['another value', '/sse/other'],
    ['a further param', '/sse/acme?readonly'],
  ])('is not resumed by a stream with %s', async (_, path) => {
    const { send: post, stream } = await connect('mia', '/sse/acme')
    await post('ping', {})
    await stream.message()
    const headers = { accept: 'text/event-stream', 'last-event-id': stream.lastId }
    const resume = (at: string) => send('mia', new Request(`${ORIGIN}${at}`, { headers }))
    expect((await resume(path)).status).toBe(400)
    expect((await resume('/sse/acme')).status).toBe(200)
  })
})

describe('a request state of a server from a factory', () => {
  it.each([
    ['another path', '/mcp/other', 'ivan'],
    ['a further param', '/mcp/acme?readonly', 'ivan'],
    ['another principal', '/mcp/acme', 'judy'],
  ])('is not valid for %s', async (_, path, caller) => {
    const { result } = await modern('ivan', 'tools/call', { name: 'ask' }, '/mcp/acme')
    const [key] = Object.keys(result.inputRequests)
    const { requestState } = result
    const params = { name: 'ask', requestState, inputResponses: { [String(key)]: YES } }
    const { error } = await modern(caller, 'tools/call', params, path)
    expect(error.message).toBe('params.requestState is not valid for this request')
    const right = await modern('ivan', 'tools/call', params, '/mcp/acme')
    expect(textOf(right)).toBe('ivan acme ivan accept')
  })
})

describe('40 principals at once', () => {
  it('never see a tool, a description or a result of another', async () => {
    const principals = Array.from({ length: 40 }, (_, index) => `principal${index}`)
    const sessions = await Promise.all(
      principals.map(
        async (caller, index) =>
          [caller, await open(caller, index % 2 ? '/mcp' : '/mcp/acme')] as const,
      ),
    )
    const check = async ([caller, session]: (typeof sessions)[number], index: number) => {
      const other = principals[(index + 1) % principals.length]
      for (let round = 0; round < 10; round++) {
        const [list, called, foreign, inModern] = await Promise.all([
          session.request('tools/list'),
          session.request('tools/call', { name: `tool_of_${caller}` }),
          session.request('tools/call', { name: `tool_of_${other}` }),
          modern(caller, 'tools/call', { name: `tool_of_${caller}` }),
        ])
        expect(toolsOf(list)).toEqual([`tool_of_${caller}`, 'ask'])
        expect(list.result.tools[1].description).toBe(`Asks ${caller}`)
        expect(textOf(called)).toBe(`${caller} ${caller}`)
        expect(foreign.error.message).toBe(`Unknown tool: tool_of_${other}`)
        expect(textOf(inModern)).toBe(`${caller} ${caller}`)
      }
    }
    await Promise.all(sessions.map(check))
  })
})
