/** Calls inside code are calls like any other: scopes, visibility, middleware, telemetry. */
// features: code, asks, tasks
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { tasks } from '../../../../src/features/tasks/index.ts'
import { createEdgeway, ToolError } from '../../../../src/index.ts'
import type { TelemetryEvent } from '../../../../src/telemetry/index.ts'
import { FullServer } from '../../../../test/support/full-server.ts'
import { parseMessages } from '../../../../test/support/sse-parser.ts'
import { type Answer, connectApp } from '../../../../test/support/test-app.ts'
import { trusting } from '../../../../test/support/trusting.ts'
import { code } from '../../src/code/index.ts'

const called: string[] = []
const events: TelemetryEvent[] = []
/** Subjects that do not see `secret` any more. */
const removed = new Set<string>()

const server = new FullServer({ name: 'scoped', version: '1.0.0' })
server.use((call, next) => {
  called.push(`middleware ${call.name}`)
  return next()
})
server.registerTool('read', { annotations: { readOnlyHint: true } }, (ctx) => {
  const { name } = ctx.request.meta ?? {}
  called.push('read')
  return `${ctx.auth?.subject} ${name ?? ''}`.trim()
})
server.registerTool('write', { scopes: ['write'] }, () => {
  called.push('write')
  return 'written'
})
server.registerTool('write-all', { scopes: ['write', 'all'] }, () => 'written')
server.registerTool(
  'secret',
  { visible: (auth) => auth?.subject === 'admin' && !removed.has('admin') },
  () => 'shown',
)
server.registerTool('read_old', { deprecated: { use: 'read', until: '2999-01-01' } }, () => 'old')
server.registerTool('refuse', { inputSchema: { why: z.string() } }, ({ why }) => {
  throw new ToolError(why)
})
server.registerTool('ask', {}, async (ctx) => {
  const { action } = await ctx.elicit({ key: 'k', message: 'Sure?', schema: z.object({}) })
  return action
})

const auth = trusting('https://code.example.com')
const app = createEdgeway(server, {
  auth,
  features: [code()],
  telemetry: { spans: true, record: (event) => void events.push(event) },
})
const readOnlyApp = createEdgeway(server, { auth, features: [code({ readOnly: true })] })

const CAN_BE_ASKED = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

async function run(
  source: string,
  token: string,
  more: Record<string, unknown> = {},
  served: typeof app = app,
): Promise<Answer> {
  const answer = await connectApp(served, env).modern(
    'tools/call',
    { name: 'execute', arguments: { code: source }, ...more },
    { headers: { authorization: `Bearer ${token}` }, meta: CAN_BE_ASKED },
  )
  const { body } = answer
  return typeof body === 'string' ? { ...answer, body: parseMessages(body).at(-1) } : answer
}

const resultOf = async (source: string, token: string) =>
  (await run(source, token)).body.result?.structuredContent?.result

beforeEach(() => {
  called.length = 0
  events.length = 0
})

describe('code that calls a tool whose scopes its caller lacks', () => {
  it('is refused with the scopes of all tools that it names, before it has called any', async () => {
    const { status, body } = await run(
      'await tools.read(); await tools.write(); return tools["write-all"]()',
      'ada read',
    )
    expect(status).toBe(403)
    expect(body.error.message).toContain('write all')
    expect(called).toEqual([])
  })

  it.each([
    'const { write } = tools; return write()',
    'const { read, write: put } = tools; return put()',
    'return tools?.write()',
    'return tools [ "write" ]()',
    'return tools.write_all()',
  ])('is refused before it has called any: %s', async (source) => {
    expect((await run(`await tools.read(); ${source}`, 'ada read')).status).toBe(403)
    expect(called).toEqual([])
  })

  it('is refused at the call, when the name is computed', async () => {
    const { status } = await run(
      'await tools.read(); try { return await tools["wri" + "te"]() } catch { return 1 }',
      'ada read',
    )
    expect(status).toBe(403)
    expect(called).toEqual(['middleware read', 'read'])
  })

  it('runs with a token that has them', async () => {
    expect(await resultOf('return tools.write()', 'ada write')).toBe('written')
    expect(called).toEqual(['middleware write', 'write'])
  })

  it('runs when it only mentions the name', async () => {
    expect(await resultOf('return "write" + typeof tools.writeX', 'ada')).toBe('writeundefined')
  })
})

describe('a tool that only some callers see', () => {
  it('is in the module of those callers alone', async () => {
    const source = 'return [typeof tools.secret, (await find("secret")).found]'
    expect(await resultOf(source, 'admin')).toEqual(['function', 1])
    expect(await resultOf(source, 'ada')).toEqual(['undefined', 0])
  })

  it('is not in the description', async () => {
    const { body } = await connectApp(app, env).modern(
      'tools/list',
      {},
      { headers: { authorization: 'Bearer admin' } },
    )
    const { description } = body.result.tools.find(
      ({ name }: { name: string }) => name === 'execute',
    )
    expect(description).toContain('write()')
    expect(description).not.toContain('secret')
    expect(description).toContain('You may have more tools')
  })

  it('that disappears while code waits makes it take another path, which is refused', async () => {
    const source =
      'if (tools.secret) await tools.read(); else await tools.refuse({ why: "no" }); return tools.ask()'
    const asked = (await run(source, 'admin')).body.result
    expect(asked.resultType).toBe('input_required')
    const [key = ''] = Object.keys(asked.inputRequests)
    removed.add('admin')
    const { body } = await run(source, 'admin', {
      requestState: asked.requestState,
      inputResponses: { [key]: { action: 'accept', content: {} } },
    })
    removed.delete('admin')
    expect(body.result.isError).toBe(true)
    expect(body.result.content[0].text).toContain('The code has made other calls than before')
    expect(called).not.toContain('middleware refuse')
  })
})

describe('a call inside code', () => {
  it('has the caller and the metadata of the request', async () => {
    const { body } = await run('return tools.read()', 'ada', { _meta: { name: 'trace' } })
    expect(body.result.structuredContent.result).toContain('ada')
  })

  it('throws the error of its tool, without a stack of the server', async () => {
    const source =
      'try { await tools.refuse({ why: "too late" }) } catch (e) { return [e.name, e.message] }'
    expect(await resultOf(source, 'ada')).toEqual(['ToolError', 'too late'])
  })

  it('names what was called when its error ends the code', async () => {
    const { body } = await run('await tools.read()\nawait tools.refuse({ why: "no" })', 'ada')
    expect(body.result.content[0].text).toBe('ToolError: no\nIt had called: read, refuse')
  })

  it('is a span of its own, and its failure is not that of the request', async () => {
    await run('await tools.refuse({ why: "no" }).catch(() => 0); return tools.read()', 'ada')
    const spans = events.filter((event) => event.type === 'span')
    expect(spans.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining(['inner-call refuse', 'inner-call read', 'handler execute']),
    )
    expect(events.filter(({ type }) => type === 'deprecated-call')).toEqual([])
    expect(events.find((event) => event.type === 'request')).toMatchObject({
      name: 'execute',
      outcome: 'ok',
    })
  })
})

describe('a call of a deprecated tool inside code', () => {
  it('is reported to telemetry once', async () => {
    await run('return tools.read_old()', 'ada')
    expect(events.filter(({ type }) => type === 'deprecated-call')).toMatchObject([
      { tool: 'read_old', use: 'read' },
    ])
  })
})

describe('code({ only: true })', () => {
  it('is listed in place of the tools that code may call', async () => {
    const only = createEdgeway(server, {
      auth,
      features: [code({ only: true, tools: ({ name }) => name !== 'ask' })],
    })
    const { body } = await connectApp(only, env).modern('tools/list')
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(['ask', 'execute'])
    expect((await run('return tools.read()', 'ada', {}, only)).body.result.isError).toBeUndefined()
  })
})

describe('code({ only: true }) with tasks()', () => {
  it('leaves get_result in the list, which has the results of long calls', async () => {
    const long = new FullServer({ name: 'long', version: '1.0.0' })
    long.registerTool('report', { task: 'optional' }, () => 'ready')
    const only = createEdgeway(long, { features: [code({ only: true }), tasks()] })
    const { body } = await connectApp(only, env).modern('tools/list')
    const names = body.result.tools.map(({ name }: { name: string }) => name)
    expect(names.toSorted()).toEqual(['execute', 'get_result'])
  })
})

describe('code({ readOnly: true })', () => {
  it('has the tools that only read, and says so of itself', async () => {
    const source = 'return [typeof tools.read, typeof tools.write]'
    const { body } = await run(source, 'ada write', {}, readOnlyApp)
    expect(body.result.structuredContent.result).toEqual(['function', 'undefined'])
    const list = await connectApp(readOnlyApp, env).modern('tools/list')
    const execute = list.body.result.tools.find(({ name }: { name: string }) => name === 'execute')
    expect(execute.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      openWorldHint: true,
    })
  })
})
