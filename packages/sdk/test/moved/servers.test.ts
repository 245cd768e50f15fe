/** Servers of other makers, served with `edgeway/sdk`: each in the modern era and in a session. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { CAN_ALL } from '../../../../test/support/http-session.ts'
import type { WireMessage } from '../../../../test/support/sse-reader.ts'
import {
  accept,
  connect as connectTo,
  decline,
  type McpError,
  type PlayedOptions,
  type TestClient,
} from '../../../testing/src/index.ts'
import { edgeway, type MovedEnv } from './worker.ts'

const REVISIONS = { modern: '2026-07-28', session: '2025-11-25' } as const

const MODES = Object.keys(REVISIONS) as readonly (keyof typeof REVISIONS)[]

/** A client that returns messages, errors included. */
interface MovedClient extends Pick<TestClient, 'logs' | 'progress' | 'asks'> {
  request(method: string, params?: Record<string, unknown>): Promise<WireMessage>
}

async function connect(
  mode: keyof typeof REVISIONS,
  server: string,
  options: PlayedOptions = {},
): Promise<MovedClient> {
  const client = await connectTo(edgeway, {
    env: env as unknown as MovedEnv,
    url: `/mcp/${server}`,
    revision: REVISIONS[mode],
    clientInfo: { name: 'client', version: '3' },
    ...options,
  })
  const { logs, progress, asks } = client
  return {
    logs,
    progress,
    asks,
    request: (method, params) =>
      client.request(method, params, { onProgress: () => undefined }).then(
        (result) => ({ result }),
        ({ code, data, message }: McpError) => ({
          error: { code, data, message: message.replace(/ \(-\d+\)$/, '') },
        }),
      ),
  }
}

const textOf = ({ result, error }: WireMessage): string => error?.message ?? result.content[0].text

const call = async (client: MovedClient, name: string, args: object = {}): Promise<WireMessage> =>
  client.request('tools/call', { name, arguments: args })

const names = async (client: MovedClient, kind: string): Promise<string[]> => {
  const { result } = await client.request(`${kind}/list`)
  return result[kind].map(({ name }: { name: string }) => name)
}

const complete = async (
  client: MovedClient,
  ref: object,
  name: string,
  value: string,
  args = {},
) => {
  const params = { ref, argument: { name, value }, context: { arguments: args } }
  return (await client.request('completion/complete', params)).result.completion.values
}

describe.each(MODES)('a server that was moved, for a client in %s', (mode) => {
  it('registers zod 3 shapes in a subclass of McpServer', async () => {
    const client = await connect(mode, 'payments')
    const { result } = await client.request('tools/list')
    expect(result.tools).toMatchObject([
      {
        name: 'create_customer',
        annotations: { readOnlyHint: false },
        inputSchema: {
          properties: {
            name: { type: 'string', description: 'The name of the customer.' },
            email: { type: 'string', format: 'email' },
          },
          required: ['name'],
        },
      },
      {
        name: 'list_invoices',
        inputSchema: { properties: { limit: { type: 'integer', default: 10 } } },
      },
      { name: 'refund', inputSchema: { required: ['payment', 'amount'] } },
    ])
    expect(textOf(await call(client, 'create_customer', { name: 'ada' }))).toBe(
      '{"id":"cus_ada","key":7}',
    )
    expect(textOf(await call(client, 'list_invoices', { limit: 2 }))).toBe('[0,1]')
    const failed = await call(client, 'refund', { payment: 'p', amount: null })
    expect(failed.result).toMatchObject({
      isError: true,
      content: [{ text: 'No such payment: p' }],
    })
    const invalid = await call(client, 'list_invoices', { limit: 0, status: 'x' })
    expect(invalid.result.isError).toBe(true)
    expect(textOf(invalid)).toMatch(/^Invalid arguments for list_invoices:\nlimit: /)
  })

  it('closes over the environment and reads the name of the client', async () => {
    const client = await connect(mode, 'library-docs')
    const result = await call(client, 'resolve-library-id', { question: 'how', libraryName: 'zod' })
    expect(textOf(result)).toBe('/zod/docs for "how" (client, the-key)')
    expect((await client.request('tools/list')).result.tools[0].inputSchema).toMatchObject({
      type: 'object',
      required: ['query', 'libraryName'],
    })
    expect(await names(client, 'prompts')).toEqual([])
    expect(await names(client, 'resources')).toEqual([])
    const templates = await client.request('resources/templates/list')
    expect(templates.result.resourceTemplates).toEqual([])
  })

  it('answers with the errors, prompts, templates and completions of its author', async () => {
    const client = await connect(mode, 'issues')
    expect(textOf(await call(client, 'whoami'))).toBe('anonymous false')
    expect(textOf(await call(client, 'find_issues', { organization: 'acme' }))).toBe(
      'issues of acme by date',
    )
    expect(client.logs).toContainEqual({ level: 'info', logger: 'issues', data: 'searching' })
    expect((await call(client, 'find_issues', { organization: 'x' })).result).toMatchObject({
      isError: true,
      content: [{ text: '**Input Error** No organization x' }],
    })
    const sorted = await call(client, 'find_issues', { organization: 'acme', sort: 'freq' })
    expect(textOf(sorted)).toBe('MCP error -32600: Sorting is not possible')
    const prompt = await client.request('prompts/get', {
      name: 'find_errors_in_file',
      arguments: { organization: 'acme', filename: 'a.ts' },
    })
    expect(prompt.result.messages[0].content.text).toBe('Errors in a.ts of acme')
    const ofPrompt = { type: 'ref/prompt', name: 'find_errors_in_file' }
    expect(await complete(client, ofPrompt, 'organization', 'a')).toEqual(['acme', 'apex'])
    const ofTemplate = { type: 'ref/resource', uri: 'issues://organizations/{slug}' }
    expect(await complete(client, ofTemplate, 'slug', 'z')).toEqual(['zen'])
    expect(await names(client, 'resources')).toEqual(['docs', 'acme', 'apex', 'zen'])
    const read = async (uri: string) => client.request('resources/read', { uri })
    expect((await read('issues://organizations/zen')).result.contents[0].text).toBe(
      'organization zen',
    )
    expect((await read('issues://docs')).result.contents[0].text).toMatch(/^docs (string|number)$/)
    expect((await read('issues://organizations/none')).error).toMatchObject({
      code: -32602,
      message: 'MCP error -32602: No organization none',
      data: { slug: 'none' },
    })
  })

  it('returns structured content that fits its output shape', async () => {
    const client = await connect(mode, 'graph')
    const entities = [{ name: mode, observations: ['x'] }]
    const created = await call(client, 'create_entities', { entities })
    expect(created.result.structuredContent).toEqual({ entities })
    const graph = await call(client, 'read_graph')
    expect(graph.result.structuredContent.entities).toContainEqual(entities[0])
    expect((await call(client, 'forget')).result).toMatchObject({ isError: true })
  })

  it('answers whole methods with its own handlers', async () => {
    const client = await connect(mode, 'repositories', { elicit: [decline] })
    expect(await names(client, 'tools')).toEqual(['search_repositories', 'ask_first'])
    expect(textOf(await call(client, 'search_repositories', { query: 'mcp' }))).toBe('found mcp')
    expect((await call(client, 'search_repositories', {})).error).toMatchObject({
      code: -32603,
      message: 'Invalid input: [["query"]]',
    })
    expect((await call(client, 'other')).error.message).toBe('Unknown tool: other')
    expect(textOf(await call(client, 'ask_first'))).toBe('person chose decline')
    expect(await names(client, 'resources')).toEqual(['readme'])
    const read = await client.request('resources/read', { uri: 'repo://readme' })
    expect(read.result.contents).toEqual([
      { uri: 'repo://readme', mimeType: 'text/plain', text: 'Read me' },
    ])
    expect((await client.request('prompts/list')).error.code).toBe(-32601)
  })

  it('asks with inputRequired() and reads its ctx', async () => {
    const answering = (confirm: boolean) => ({ elicit: () => accept({ confirm }) })
    const yes = await connect(mode, 'deploys', answering(true))
    expect(textOf(await call(yes, 'deploy', { target: 'production' }))).toBe(
      'deployed to production',
    )
    const no = await connect(mode, 'deploys', answering(false))
    expect(textOf(await call(no, 'deploy', { target: 'staging' }))).toBe('not deployed to staging')
    const questions = [...yes.asks, ...no.asks].map(({ params }) => params.message)
    expect(questions).toEqual(['Deploy to production?', 'Deploy to staging?'])
    expect(textOf(await call(yes, 'status', { id: 7 }))).toBe('tools/call 7 true')
    expect(yes.logs.at(-1)).toEqual({
      level: 'info',
      data: { id: 7 },
      logger: 'deploys',
    })
    expect((await call(yes, 'status', { id: 0 })).result).toMatchObject({
      isError: true,
      content: [{ text: 'There is no deploy 0' }],
    })
    expect(textOf(await call(yes, 'who'))).toMatch(/^anonymous (string|number)$/)
    const prompt = await yes.request('prompts/get', { name: 'review', arguments: { id: '7' } })
    expect(prompt.result.messages[0].content.text).toBe('Review 7 (prompts/get)')
  })
})

describe.each(MODES)('the reference server "everything", for a client in %s', (mode) => {
  it('lists what it registers, also for the client that it does not know yet', async () => {
    const client = await connect(mode, 'everything')
    expect(await names(client, 'tools')).toEqual([
      'echo',
      'get-structured-content',
      'gzip-file-as-resource',
      'toggle-simulated-logging',
      'trigger-long-running-operation',
      'toggle-subscriber-updates',
      'get-roots-list',
      'trigger-elicitation-request',
      'trigger-url-elicitation',
      'trigger-sampling-request',
    ])
    expect(await names(client, 'prompts')).toEqual(['simple-prompt', 'completable-prompt'])
    expect(await names(client, 'resources')).toEqual(['how it works.md'])
  })

  it('runs its tools', async () => {
    const client = await connect(mode, 'everything')
    expect(textOf(await call(client, 'echo', { message: 'hi' }))).toBe('Echo: hi')
    const weather = await call(client, 'get-structured-content', { location: 'Chicago' })
    expect(weather.result.structuredContent).toEqual({ temperature: 36, conditions: 'Rain' })
    const gzip = await call(client, 'gzip-file-as-resource', { data: 'data:,x' })
    expect(gzip.result).toMatchObject({ isError: true })
    expect(textOf(gzip)).toMatch(/^A resource was registered or changed while the server is served/)
    expect(textOf(await call(client, 'toggle-simulated-logging'))).toBe('Started')
    const long = await call(client, 'trigger-long-running-operation', { duration: 0.02, steps: 2 })
    expect(textOf(long)).toBe('Completed 2 steps.')
    expect(client.logs).toEqual([
      { level: 'warning', data: `Warning for ${mode === 'session' ? 'a session' : 'a request'}` },
    ])
    expect(client.progress.map(({ progress }) => progress)).toEqual([1, 2])
  })

  it('asks the client', async () => {
    const client = await connect(mode, 'everything', {
      roots: [{ uri: 'file:///a', name: 'A' }],
      sample: ({ messages }) => ({
        role: 'assistant',
        model: 'm',
        content: messages[0]?.content as never,
      }),
      elicit: ({ mode: how, requestedSchema }) => {
        if (how === 'url') return accept()
        expect(Object.keys(requestedSchema?.properties ?? {})).toHaveLength(8)
        return accept({ name: 'Ada', check: true })
      },
    })
    expect(textOf(await call(client, 'trigger-elicitation-request'))).toBe('accept Ada true')
    expect(textOf(await call(client, 'get-roots-list'))).toBe('A file:///a')
    expect(textOf(await call(client, 'trigger-sampling-request', { prompt: 'p' }))).toMatch(
      /Context: p/,
    )
    const url = { url: `https://example.com/${mode}` }
    expect(textOf(await call(client, 'trigger-url-elicitation', url))).toBe('URL accept')
    const required = await call(client, 'trigger-url-elicitation', { ...url, errorPath: true })
    if (mode === 'session') {
      expect(required.error).toMatchObject({ code: -32042, data: { elicitations: [url] } })
    } else {
      expect(textOf(required)).toBe('URL accept')
    }
  })

  it('lets a handler catch that the client cannot answer', async () => {
    const { elicitation: _, ...capabilities } = CAN_ALL
    const client = await connect(mode, 'everything', { capabilities })
    expect(textOf(await call(client, 'trigger-elicitation-request'))).toBe(
      'Client does not support form elicitation.',
    )
  })

  it('serves its prompts, templates and completions', async () => {
    const client = await connect(mode, 'everything')
    const get = (name: string) => {
      const args = { department: 'Sales', name }
      return client.request('prompts/get', { name: 'completable-prompt', arguments: args })
    }
    expect((await get('David')).result.messages[0].content.text).toBe('David of Sales')
    expect((await get('absent')).error).toMatchObject({
      code: -32603,
      message: 'Invalid name: absent.',
    })
    const ref = { type: 'ref/prompt', name: 'completable-prompt' }
    expect(await complete(client, ref, 'name', 'D', { department: 'Sales' })).toEqual(['David'])
    const template = { type: 'ref/resource', uri: 'demo://resource/text/{id}' }
    expect(await complete(client, template, 'id', '5')).toEqual(['5'])
    const read = await client.request('resources/read', {
      uri: 'demo://resource/static/how%20it%20works.md',
    })
    expect(read.result.contents[0].text).toBe('# how it works.md')
  })
})

describe('subscriptions of the reference server "everything"', () => {
  it('reach the handler of the author, which sends updates', async () => {
    const client = await connect('session', 'everything')
    const uri = 'demo://resource/text/1'
    expect((await client.request('resources/subscribe', { uri })).result).toEqual({})
    expect(textOf(await call(client, 'toggle-subscriber-updates'))).toBe('1 subscriptions')
    expect((await client.request('resources/unsubscribe', { uri })).result).toEqual({})
    const unknown = await client.request('resources/subscribe', { uri: 'other://a' })
    expect(unknown.error).toMatchObject({ message: 'Resource not found' })
    expect(textOf(await call(client, 'toggle-subscriber-updates'))).toBe('1 subscriptions')
  })
})
