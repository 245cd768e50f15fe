/** Servers that attack the doctor: it ends in time, within bounds, and repeats nothing dangerous. */

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, it } from 'vitest'
import { nestsTool, withOutput } from '../../faults/test/planted/definitions.ts'
import { NOTE } from '../../faults/test/planted/events.ts'
import {
  type Answer,
  changed,
  endless,
  json,
  onResult,
  TOOL,
} from '../../faults/test/planted/plant.ts'
import type { DoctorReport } from '../src/doctor/doctor.ts'
import { terminalReport } from '../src/doctor/reporters/terminal.ts'
import { codesOf, disconnected, examineQuickly } from './examine.ts'
import type { Handler } from './http-server.ts'
import { startHttpServer } from './http-server.ts'
import { startEventServer } from './reference-events.ts'
import { startReferenceServer } from './reference-server.ts'
import { stoppedAfterAll } from './started.ts'

const started = stoppedAfterAll()

const JSON_TYPE = { 'content-type': 'application/json' }

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** A bound of bytes or of time ends it, according to the speed of the machine. */
const ENDLESS_STREAM = ['response-endless', 'response-missing']

/** All of them end every request at the endpoint in the same way. */
const HOSTILE: readonly {
  readonly what: string
  readonly answer: Answer
  readonly code: string | readonly string[]
}[] = [
  {
    what: 'an endless JSON body',
    answer: endless('application/json', ' '),
    code: 'response-endless',
  },
  {
    what: 'an endless event stream',
    answer: endless('text/event-stream', 'data: {"jsonrpc":"2.0"}\n\n'),
    code: ENDLESS_STREAM,
  },
  {
    what: 'an event stream of one endless line',
    answer: endless('text/event-stream', 'data: x'),
    code: ENDLESS_STREAM,
  },
  {
    what: 'a gzip bomb',
    answer: {
      status: 200,
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(64 * 1024 * 1024)),
    },
    code: 'response-endless',
  },
  {
    what: 'compressed garbage',
    answer: { status: 200, headers: { ...JSON_TYPE, 'content-encoding': 'br' }, body: 'garbage' },
    code: 'response-malformed',
  },
  {
    what: 'JSON that nests a hundred thousand levels deep',
    answer: {
      status: 200,
      headers: JSON_TYPE,
      body: `{"jsonrpc":"2.0","id":0,"result":${deep(100_000)}}`,
    },
    code: 'initialize-result-invalid',
  },
  {
    what: 'a redirect to a file',
    answer: { status: 307, headers: { location: 'file:///etc/passwd' } },
    code: 'redirect-drops-request',
  },
  {
    what: 'a redirect to itself',
    answer: { status: 308, headers: { location: '/mcp' } },
    code: 'redirect-drops-request',
  },
  {
    what: 'a redirect without a URL',
    answer: { status: 307, headers: { location: 'http://[' } },
    code: 'redirect-drops-request',
  },
  {
    what: 'a body that breaks off',
    answer: { status: 200, headers: { ...JSON_TYPE, 'content-length': '1000' }, body: '{' },
    code: 'response-malformed',
  },
]

/** A server below HTTP. */
const RAW: readonly {
  readonly what: string
  readonly talk: (socket: Socket) => void
  readonly code: string
}[] = [
  {
    what: 'ten megabytes of headers',
    talk: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      for (let line = 0; line < 10_000; line++) socket.write(`x-${line}: ${'a'.repeat(1000)}\r\n`)
    },
    code: 'response-malformed',
  },
  {
    what: 'no HTTP',
    talk: (socket) => socket.end('SSH-2.0-OpenSSH\r\n'),
    code: 'response-malformed',
  },
  {
    what: 'another protocol that no request asks for',
    talk: (socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    code: 'response-malformed',
  },
  { what: 'a closed connection', talk: (socket) => socket.destroy(), code: 'connection-failed' },
  {
    what: 'one header byte at a time',
    talk: (socket) => {
      const timer = setInterval(() => socket.write('H'), 50)
      socket.on('close', () => clearInterval(timer)).on('error', () => undefined)
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
    },
    code: 'no-answer',
  },
]

const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u2028\r\n'

/** Control characters besides line ends, and those that reorder text. */
const CONTROLS = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u

const textsOf = (report: DoctorReport) => [
  terminalReport(report, { colors: false, columns: 100 }),
  ...report.clients.flatMap(({ findings }) => findings.map(({ message }) => message)),
]

describe('the doctor at a hostile server', () => {
  it.for(HOSTILE)(
    'reports $code for $what',
    async ({ answer, code }, { expect, onTestFinished }) => {
      const server = await startHttpServer(() => answer)
      // What has no end takes time from the other tests.
      onTestFinished(() => server.stop())
      const startedAt = Date.now()
      const report = await examineQuickly(`${server.origin}/mcp`, { timeoutMs: 3000 })
      expect(codesOf(report).filter((found) => [code].flat().includes(found))).not.toEqual([])
      expect(disconnected(report)).toContain('Cursor')
      expect(Date.now() - startedAt).toBeLessThan(60_000)
    },
  )

  it.concurrent.for(RAW)(
    'reports $code for $what',
    async ({ talk, code }, { expect, onTestFinished }) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => talk(socket))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => void server.close())
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : 0
      const report = await examineQuickly(`http://127.0.0.1:${port}/mcp`, { timeoutMs: 3000 })
      expect(codesOf(report)).toEqual([code])
      expect(report.isReached).toBe(false)
    },
  )

  it('writes no control character of a server to its messages', async ({ expect }) => {
    const tool = { name: `a${ESCAPES}`, inputSchema: { type: 'object' } }
    const server = await started(
      startReferenceServer({
        defect: onResult('tools/list', (result) => ({ ...result, tools: [tool] })),
      }),
    )
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual(['tool-name-characters'])
    for (const text of textsOf(report)) expect(text).not.toMatch(CONTROLS)
  })

  it('writes no control character of an error or of a URL to its messages', async ({ expect }) => {
    const server = await started(startHttpServer(() => ({ status: 500, body: ESCAPES })))
    const report = await examineQuickly(`${server.origin}/mcp?${encodeURI(ESCAPES)}`)
    expect(codesOf(report)).toEqual(['server-error'])
    for (const text of textsOf(report)) expect(text).not.toMatch(CONTROLS)
  })

  it('names a tool whose schema nests fifty thousand levels deep', async ({ expect }) => {
    const server = await started(startReferenceServer({ defect: nestsTool(50_000) }))
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual(['tool-schema-too-large'])
    const [finding] = report.clients.flatMap(({ findings }) => findings)
    expect(finding?.message).toContain('"greet" has an inputSchema that is nested too deeply')
  })

  // Without a bound of the work for each tool, this takes minutes.
  it('ends in time at a list of 40,000 tools', async ({ expect }) => {
    const tools = Array.from({ length: 40_000 }, (_, index) => ({ ...TOOL, name: `t${index}` }))
    const server = await started(
      startReferenceServer({
        defect: onResult('tools/list', (result) => ({ ...result, tools: [...tools, tools[0]] })),
      }),
    )
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual(['tool-name-repeated'])
  })

  // A pattern that is run takes longer than the test may.
  it('runs no pattern of a server on the structured content of a result', async ({ expect }) => {
    const a = { type: 'string', pattern: '^(a+)+$' }
    const server = await started(
      startReferenceServer({
        defect: withOutput({ type: 'object', properties: { a } }, { a: `${'a'.repeat(60)}!` }),
      }),
    )
    expect(codesOf(await examineQuickly(server.url))).toEqual([])
  })

  it('is not changed by members named __proto__', async ({ expect }) => {
    const body =
      '{"jsonrpc":"2.0","id":0,"__proto__":{"polluted":true},"result":{"__proto__":{"polluted":true}}}'
    const server = await started(startHttpServer(() => ({ status: 200, headers: JSON_TYPE, body })))
    expect(disconnected(await examineQuickly(`${server.origin}/mcp`))).toContain('Cursor')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  const NO_TEXT = { toString: 0, valueOf: 0 }

  const METHODS = ['initialize', 'tools/list', 'events/list', 'events/poll']

  it.concurrent.for(METHODS)(
    'reports where all texts of %s are objects with a toString',
    async (method, { expect }) => {
      const withoutTexts = (value: unknown) =>
        JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? NO_TEXT : each))
      const defect = onResult(method, withoutTexts)
      const server = await started(startEventServer({ defect }))
      const report = await examineQuickly(server.url, { active: true, eventWaitMs: 700 })
      expect(codesOf(report)).not.toEqual([])
    },
  )

  it.concurrent('reports an event type whose arguments have a type that is no text', async ({
    expect,
  }) => {
    const inputSchema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: NO_TEXT }, b: { type: 'constructor' } },
    }
    const defect = onResult('events/list', (result) => ({
      ...result,
      events: [{ ...NOTE, inputSchema }],
    }))
    const server = await started(startEventServer({ defect }))
    const report = await examineQuickly(server.url, { active: true, eventWaitMs: 700 })
    expect(report.notes.join('\n')).toMatch(/event/i)
  })

  it.concurrent('reports an error whose code and message are no number and no text', async ({
    expect,
  }) => {
    const error = { code: NO_TEXT, message: NO_TEXT, data: { reason: NO_TEXT } }
    const server = await started(
      startHttpServer(({ json: { id } }) => json({ jsonrpc: '2.0', id: id as string, error })),
    )
    expect(disconnected(await examineQuickly(`${server.origin}/mcp`))).toContain('Cursor')
  })

  // Without the metadata of the resource, the faults of the server's metadata are consequences, and the sign-in goes on.
  it.concurrent('reports iss-mismatch where the issuer is an object with a toString', async ({
    expect,
  }) => {
    const withoutIssuer = changed('/.well-known/oauth-authorization-server', (value) => ({
      ...value,
      issuer: NO_TEXT,
    }))
    const server = await started(
      startReferenceServer({
        isProtected: true,
        defect: (request, next, origin) =>
          request.path.includes('oauth-protected-resource')
            ? json([])
            : withoutIssuer(request, next, origin),
      }),
    )
    const report = await examineQuickly(server.url, { active: true })
    expect(codesOf(report)).toContain('iss-mismatch')
    expect(textsOf(report).join('\n')).toContain('the issuer is {"toString":0,"valueOf":0}')
  })

  it.concurrent('writes no NaN for an error without a code, and no undefined for an absent member', async ({
    expect,
  }) => {
    const { name: _, ...nameless } = TOOL
    const server = await started(
      startReferenceServer({
        defect: (request, next, origin) =>
          request.json.method === 'server/discover'
            ? json({ jsonrpc: '2.0', id: request.json.id as string, error: {} }, 500)
            : onResult('tools/list', () => ({ tools: [nameless] }))(request, next, origin),
      }),
    )
    const texts = textsOf(await examineQuickly(server.url)).join('\n')
    expect(texts).toContain('status 500 with an error without a valid code')
    expect(texts).toContain('tools[0].name: Invalid input: expected string, received nothing')
    expect(texts).not.toMatch(/NaN|undefined/)
  })

  it('sends a token to no other origin', async ({ expect }) => {
    const thief = await started(startHttpServer(() => json({})))
    const handle: Handler = ({ headers }) =>
      headers.authorization === undefined
        ? json({}, 401, { 'www-authenticate': `Bearer resource_metadata="${thief.origin}/prm"` })
        : { status: 307, headers: { location: `${thief.origin}/mcp` } }
    const server = await started(startHttpServer(handle))
    await examineQuickly(`${server.origin}/mcp`, { token: 'secret' })
    expect(thief.requests.length).toBeGreaterThan(0)
    expect(thief.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([])
  })

  it('shows no token of a token response', async ({ expect }) => {
    const server = await started(
      startReferenceServer({
        isProtected: true,
        defect: changed('/token', (value) => ({
          ...value,
          access_token: 'secret-7f',
          token_type: 7,
        })),
      }),
    )
    const report = await examineQuickly(server.url, { active: true })
    expect(codesOf(report)).toContain('token-response-invalid')
    expect(JSON.stringify(report)).not.toContain('secret-7f')
  })
})
