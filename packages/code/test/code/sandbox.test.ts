/** What the platform is asked for, and what happens where it refuses. */
// features: code
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { code } from '../../src/code/index.ts'
import type { LoadedCode } from '../../src/code/sandbox.ts'

function serverWithTool(): McpServer {
  const server = new McpServer({ name: 'one', version: '1.0.0' })
  server.registerTool('ping', {}, () => 'pong')
  return server
}

const app = (options?: Parameters<typeof code>[0]) =>
  createEdgeway(serverWithTool(), { features: [code(options)] })

/** A binding whose Workers end as the test says. */
function loader(run: (next: (text: unknown) => Promise<string>) => Promise<unknown>) {
  const loaded: LoadedCode[] = []
  const load = (worker: LoadedCode) => {
    loaded.push(worker)
    return { getEntrypoint: () => ({ run }) }
  }
  return { loaded, env: { ...env, LOADER: { load } } }
}

const END = JSON.stringify({ result: '1', resultLength: 1, logs: [], logsCut: 0 })

describe('the Worker of code', () => {
  it('has no network, no environment and a limit of processor time', async () => {
    const { loaded, env } = loader(async () => END)
    await (await connect(app({ cpuMs: 250 }), { env })).callTool('execute', { code: '1' })
    const [worker] = loaded
    expect(worker).toMatchObject({ globalOutbound: null, limits: { cpuMs: 250 } })
    expect(Object.keys(worker ?? {}).toSorted()).toEqual([
      'compatibilityDate',
      'globalOutbound',
      'limits',
      'mainModule',
      'modules',
    ])
  })

  it.each([
    'Worker exceeded CPU time limit.',
    'Worker exceeded memory limit.',
    'Too many concurrent dynamic workers',
  ])('that the platform stops is an error of the call: %s', async (message) => {
    const { env } = loader(async () => {
      throw new Error(message)
    })
    const { isError, text } = await (await connect(app(), { env })).callTool('execute', {
      code: '1',
    })
    expect([isError, text]).toEqual([true, `The code was stopped: ${message}`])
  })

  it.each([
    ['calls nothing and waits', async (next) => next('{"calls":[],"logs":[]}')],
    ['sends a value that is no text', async (next) => next({ calls: [] })],
    ['sends a function', async (next) => next(() => '')],
    ['sends no JSON', async (next) => next('{')],
    [
      'sends a call of another kind',
      async (next) => next('{"calls":[["secret","ping","{}"]],"logs":[]}'),
    ],
    [
      'sends a call without arguments',
      async (next) => next('{"calls":[["tool","ping"]],"logs":[]}'),
    ],
    [
      'sends a name that no tool can have',
      async (next) => next(JSON.stringify({ calls: [['tool', 'p'.repeat(129), '{}']], logs: [] })),
    ],
    [
      'searches with more words than its function sends',
      async (next) =>
        next(JSON.stringify({ calls: [['find', 'find', `"${'a '.repeat(8_001)}"`]], logs: [] })),
    ],
    [
      'sends more calls than the limit',
      async (next) =>
        next(JSON.stringify({ calls: Array(101).fill(['tool', 'ping', '{}']), logs: [] })),
    ],
    [
      'asks twice at once',
      async (next) => {
        const call = '{"calls":[["tool","ping","{}"]],"logs":[]}'
        await Promise.all([next(call), next(call)])
        return END
      },
    ],
    ['ends with no JSON', async () => '{'],
    ['ends with an object', async () => ({ result: '1' })],
  ] satisfies [string, Parameters<typeof loader>[0]][])(
    'that %s ends the call with an error',
    async (_, run) => {
      const { env } = loader(run)
      const { isError, text } = await (await connect(app(), { env })).callTool('execute', {
        code: '1',
      })
      expect([isError, text]).toEqual([
        true,
        'The code has interfered with what runs it, and was stopped',
      ])
    },
  )
})

describe('console output that the Worker of code does not bound', () => {
  it.each([
    ['empty lines', Array(200_000).fill('')],
    ['long lines', Array(50).fill('x'.repeat(20_000))],
    ['values that are no text', Array(200_000).fill(7)],
  ])('is bounded by the server: %s', async (_, lines) => {
    const { env } = loader(async (next) => {
      for (let count = 0; count < 5; count++) {
        await next(JSON.stringify({ calls: [['find', 'find', '""']], logs: lines }))
      }
      return JSON.stringify({ result: '1', resultLength: 1, logs: lines, logsCut: 0 })
    })
    const { structuredContent } = await (await connect(app(), { env })).callTool('execute', {
      code: '1',
    })
    const { result, logs = [] } = structuredContent as { result: number; logs?: string[] }
    expect(result).toBe(1)
    expect(logs.reduce((sum, { length }) => sum + length + 1, 0)).toBeLessThanOrEqual(20_001)
  })
})

describe('a server without the binding', () => {
  it('answers with the binding and the lines of configuration', async () => {
    const client = await connect(app({ binding: 'SANDBOX', name: 'run_code' }), { env })
    const { isError, text } = await client.callTool('run_code', { code: '1' })
    expect(isError).toBe(true)
    expect(text).toContain('[[worker_loaders]]\nbinding = "SANDBOX"')
  })
})

describe('code() with an invalid option', () => {
  it.each([
    [{ name: '' }, 'code({ name }) must be a text'],
    [{ binding: 5 }, 'code({ binding }) must be a text'],
    [{ tools: ['ping'] }, 'code({ tools }) must be a function'],
    [{ readOnly: 'yes' }, 'code({ readOnly }) must be a boolean'],
    [{ only: 1 }, 'code({ only }) must be a boolean'],
    [{ maxCalls: 0 }, 'code: maxCalls must be a number above 0'],
    [{ maxCalls: 1.5 }, 'code: maxCalls must be an integer'],
    [{ cpuMs: -1 }, 'code: cpuMs must be a number above 0'],
    [{ timeoutMs: 0 }, 'timeoutMs must be greater than 0'],
    [{ calls: 5 }, 'code: there is no option "calls"'],
  ])('%j throws at start', (options, message) => {
    expect(() => app(options as never)).toThrow(message)
  })

  it('of a tool name that the author has throws at start', () => {
    expect(() => app({ name: 'ping' })).toThrow('Tool "ping" is registered')
  })

  it('of a server without tools adds none', async () => {
    const empty = createEdgeway(new McpServer({ name: 'none', version: '1' }), {
      features: [code()],
    })
    const client = await connect(empty, { env })
    expect(client.serverCapabilities.tools).toBeUndefined()
  })
})
