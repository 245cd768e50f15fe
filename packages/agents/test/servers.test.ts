/** Servers of other makers, rebuilt with the same calls: only their imports and bindings have changed. */
import { describe, expect, it } from 'vitest'
import {
  AgentClient,
  type AgentClientOptions,
  call,
  type Entry,
  ERAS,
  textOf,
  toolNames,
} from './agent-client.ts'
import { signInAs } from './oauth-client.ts'
import { accountsWorker, metrics } from './servers/accounts.ts'
import { calculatorWorker } from './servers/calculator.ts'
import { counterWorker, updates } from './servers/counter.ts'
import { greeterWorker } from './servers/greeter.ts'
import { MEMBERS_ORIGIN, membersWorker } from './servers/members.ts'
import { todosWorker } from './servers/todos.ts'

describe.each(ERAS)('in the era %s', (era) => {
  it('the calculator without sign-in adds and divides, with its class wrapped as wrangler dev does', async () => {
    const client = new AgentClient(calculatorWorker, { streamPath: '/sse' })
    const request = await client.open(era)
    expect(toolNames(await request('tools/list'))).toEqual(['add', 'calculate'])
    expect(textOf(await request('tools/call', call('add', { a: 2, b: 3 })))).toBe('5')
    const divided = call('calculate', { operation: 'divide', a: 1, b: 0 })
    expect(textOf(await request('tools/call', divided))).toBe('Error: Cannot divide by zero')
    const invalid = await request('tools/call', call('add', { a: 'two', b: 3 }))
    expect(invalid.result.isError).toBe(true)
  })

  it('the calculator behind a check of the query of each URL keeps its secret', async () => {
    const guarded: Entry = {
      fetch: (request, env, ctx) =>
        new URL(request.url).searchParams.get('secret') === 's 1'
          ? calculatorWorker.fetch(request, env, ctx)
          : new Response('Not found', { status: 404 }),
    }
    const paths = { path: '/mcp?secret=s%201', streamPath: '/sse?secret=s%201' }
    const request = await new AgentClient(guarded, paths).open(era)
    expect(textOf(await request('tools/call', call('add', { a: 2, b: 3 })))).toBe('5')
  })

  it('the members behind an OAuthProvider have the tools of their name, and their own props', async () => {
    const open = async (login: string) => {
      const authorization = await signInAs(membersWorker, MEMBERS_ORIGIN, login)
      return new AgentClient(membersWorker, { origin: MEMBERS_ORIGIN, authorization }).open(era)
    }
    const [ada, bob] = [await open('ada'), await open('bob')]
    expect(toolNames(await ada('tools/list'))).toEqual(['whoami', 'paint'])
    expect(toolNames(await bob('tools/list'))).toEqual(['whoami'])
    expect(textOf(await ada('tools/call', call('whoami')))).toBe('ada with 12')
    expect(textOf(await bob('tools/call', call('whoami')))).toBe('bob with 12')
    const painted = await ada('tools/call', call('paint', { prompt: 'a cat' }))
    expect(atob(painted.result.content[0].data)).toBe('a cat 4')
    const refused = await bob('tools/call', call('paint', { prompt: 'a cat' }))
    expect(refused.error.message).toBe('Unknown tool: paint')
  })

  it('the tools in several files depend on the accounts of the API token', async () => {
    const open = (token: string, options: AgentClientOptions = {}) =>
      new AgentClient(accountsWorker, {
        authorization: `Bearer ${token}`,
        streamPath: '/sse',
        ...options,
      }).open(era)
    const [ada, bob] = [await open('ada-token'), await open('bob-token')]
    const [ofAda] = (await ada('tools/list')).result.tools
    const [ofBob] = (await bob('tools/list')).result.tools
    expect(ofAda.inputSchema.properties.account.enum).toEqual(['ada-home', 'ada-work'])
    expect(ofBob.inputSchema.properties).toEqual({ page: { type: 'number' } })
    const before = metrics.length
    const listed = await ada('tools/call', call('buckets_list', { account: 'ada-work' }))
    expect(textOf(listed)).toBe('ada ada-work/bucket')
    const foreign = await ada('tools/call', call('buckets_list', { account: 'bob-home' }))
    expect(foreign.result.isError).toBe(true)
    expect(textOf(await bob('tools/call', call('buckets_list')))).toBe('bob bob-home/bucket')
    expect(metrics.slice(before)).toEqual(['buckets_list', 'buckets_list'])
    const { messages } = (await bob('prompts/get', { name: 'setup' })).result
    expect(messages[0].content.text).toBe('Begin with a bucket')
  })

  it('the lists of two users of one server are apart', async () => {
    const open = (user: string) =>
      new AgentClient(todosWorker, { authorization: `Bearer ${user}-${era}` }).open(era)
    const [ada, bob] = [await open('ada'), await open('bob')]
    const created = await ada('tools/call', call('createTodo', { text: 'write' }))
    expect(textOf(created)).toBe('Success! Added\n\n["write"]')
    const { resources } = (await ada('resources/list')).result
    expect(resources).toMatchObject([{ name: 'write', uri: 'todo://items/0' }])
    const read = async (request: typeof ada) =>
      (await request('resources/read', { uri: 'todo://items/0' })).result.contents[0].text
    expect(await read(ada)).toBe('write')
    expect((await bob('resources/list')).result.resources).toEqual([])
    expect(await read(bob)).toBe('NOT FOUND')
  })
})

describe('the agent that asks', () => {
  const ADA = { action: 'accept', content: { name: 'Ada' } }

  it('asks with this.elicitInput in the modern revision', async () => {
    const client = new AgentClient(greeterWorker)
    const { result } = await client.modern('tools/call', call('greet'))
    const [key = ''] = Object.keys(result.inputRequests)
    expect(result.inputRequests[key].params.message).toBe('What is your name?')
    const { requestState } = result
    const inputResponses = { [key]: ADA }
    const params = { ...call('greet'), requestState, inputResponses }
    expect(textOf(await client.modern('tools/call', params))).toBe('Hello, Ada')
  })

  it.each([
    ['greet', {}, ADA, 'Hello, Ada'],
    ['greet', {}, { action: 'decline' }, 'Nobody to greet'],
    ['confirm', { what: 'delete' }, { action: 'decline' }, 'delete: decline'],
  ])('asks in a session: %s %o %o', async (name, args, answer, text) => {
    const session = await new AgentClient(greeterWorker).session()
    const stream = await session.streamTool(name, args)
    const question = await stream.message()
    expect(question.method).toBe('elicitation/create')
    expect(await session.answer(question, answer)).toBe(202)
    expect(textOf(await stream.message())).toBe(text)
  })

  it('knows the id and the transport of its session, and that a modern call has none', async () => {
    const client = new AgentClient(greeterWorker)
    const session = await client.session()
    const named = await session.request('tools/call', call('session'))
    expect(textOf(named)).toBe(`streamable-http ${session.id}`)
    const { id, send, stream } = await client.httpSse()
    await send('tools/call', call('session'), 's')
    expect(textOf(await stream.message())).toBe(`sse ${id}`)
    const { result } = await client.modern('tools/call', call('session'))
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'This call has no session, so it has no session id' }],
    })
  })
})

describe('the agent with state', () => {
  it.each(['session', 'http-sse'] as const)(
    'counts in each session of its own: %s',
    async (era) => {
      const client = new AgentClient(counterWorker)
      const [one, other] = [await client.open(era), await client.open(era)]
      const add = async (request: typeof one, a: number) =>
        textOf(await request('tools/call', call('add', { a })))
      expect(await add(one, 2)).toBe('The total is 3')
      expect(await add(one, 4)).toBe('The total is 7')
      expect(await add(other, 10)).toBe('The total is 11')
      const uri = 'mcp://resource/counter'
      expect((await one('resources/read', { uri })).result.contents[0].text).toBe('7')
      expect(updates).toContainEqual({ counter: 7 })
    },
  )

  it('refuses the modern revision, so that its clients open a session', async () => {
    const { error } = await new AgentClient(counterWorker).modern('tools/list')
    expect(error).toMatchObject({ code: -32022, data: { requested: '2026-07-28' } })
    expect(error.data.supported[0]).toBe('2025-11-25')
  })
})
