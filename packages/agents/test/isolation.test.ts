/** Isolation of the callers and sessions of one agent, and of two agents in one Worker. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AuthInfo } from '../../../src/index.ts'
import { advanceClock } from '../../../test/support/clock.ts'
import type { HttpSession } from '../../../test/support/http-session.ts'
import {
  AgentClient,
  type AgentClientOptions,
  call,
  ERAS,
  ORIGIN,
  textOf,
  toolNames,
} from './agent-client.ts'
import { deniedSubjects, Notes, OtherNotes, Verified } from './servers/attacked.ts'
import { evict } from './session-objects.ts'

const notes = Notes.serve('/mcp', { binding: 'NOTES', transport: 'auto' })
const notesElsewhere = Notes.serve('/elsewhere', { binding: 'NOTES' })
const others = OtherNotes.serve('/mcp', { binding: 'OTHER_NOTES' })

const connect = (ctx: AgentClientOptions['ctx'], entry = notes, path = '/mcp') =>
  new AgentClient(entry, { path, ...(ctx && { ctx }) })

const user = (login: string, props: object = {}) => ({
  props: { login, ...props },
  auth: { userId: login, clientId: 'client', scope: [] },
})

/** Sends a request of another caller, or at another place, with the id of a session. */
const withSession = (client: AgentClient, { id }: HttpSession) =>
  client.fetch(
    new Request(client.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': id,
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }),
  )

describe.each(ERAS)('two callers in the era %s', (era) => {
  it.each([
    ['users of an OAuthProvider', user('ada'), user('bob')],
    [
      'callers who differ in their props alone',
      { props: { login: 'ada' } },
      { props: { login: 'bob' } },
    ],
  ])('have their own tools and props: %s', async (_, ofAda, ofBob) => {
    const [ada, bob] = [await connect(ofAda).open(era), await connect(ofBob).open(era)]
    for (let round = 0; round < 2; round++) {
      expect(toolNames(await ada('tools/list'))).toContain('tool_of_ada')
      expect(toolNames(await bob('tools/list'))).not.toContain('tool_of_ada')
      expect(textOf(await ada('tools/call', call('tool_of_ada')))).toBe('ada')
      const foreign = await bob('tools/call', call('tool_of_ada'))
      expect(foreign.error.message).toBe('Unknown tool: tool_of_ada')
    }
  })

  it('never see what another has left in a field of the agent, also when both are anonymous', async () => {
    const [one, other] = [await connect(undefined).open(era), await connect(undefined).open(era)]
    const note = async (request: typeof one, text: string) =>
      textOf(await request('tools/call', call('note', { text })))
    expect(await note(one, 'secret')).toBe('secret')
    expect(await note(other, 'mine')).toBe('mine')
    // A session keeps its instance while it is in memory; a modern request has none to keep.
    expect(await note(one, 'more')).toBe(era === 'modern' ? 'more' : 'secret,more')
  })

  it('cannot be changed by an agent that changes its own props', async () => {
    const ctx = { props: { login: 'eve', roles: ['user'] } }
    const [one, other] = [await connect(ctx).open(era), await connect(ctx).open(era)]
    expect(textOf(await one('tools/call', call('escalate')))).toBe('user,admin')
    expect(textOf(await other('tools/call', call('escalate')))).toBe('user,admin')
    expect(ctx.props.roles).toEqual(['user'])
    expect(toolNames(await one('tools/list'))).not.toContain('only_admin')
  })

  it.each([
    ['a header', { props: '{"login":"ada"}', 'x-props': '{"login":"ada"}' }],
    ['the headers of the Agents SDK', { 'cf-mcp-method': 'POST', 'cf-mcp-message': 'e30=' }],
  ])('cannot claim props with %s', async (_, headers) => {
    if (era !== 'modern') return
    const { result } = await connect(undefined).modern('tools/list', {}, headers)
    expect(result.tools.at(-1).name).toBe('tool_of_nobody')
  })

  it('have no member of a prototype in their props', async () => {
    const props = JSON.parse('{"login":"eve","__proto__":{"roles":["admin"]}}')
    const request = await connect({ props }).open(era)
    expect(toolNames(await request('tools/list'))).not.toContain('only_admin')
  })
})

describe('a session of an agent', () => {
  it.each([
    ['another user', user('bob')],
    ['the same user name from props alone', { props: { login: 'ada' } }],
    ['an anonymous caller', undefined],
  ])('is not found by %s', async (_, ctx) => {
    const session = await connect(user('ada')).session()
    expect((await withSession(connect(ctx), session)).status).toBe(404)
    expect((await withSession(connect(user('ada')), session)).status).toBe(200)
  })

  it('is not found at another path of the class, and not at another class', async () => {
    const session = await connect(user('ada')).session()
    for (const client of [
      connect(user('ada'), notesElsewhere, '/elsewhere'),
      connect(user('ada'), others),
    ]) {
      expect((await withSession(client, session)).status).toBe(404)
    }
    const anonymous = await connect(undefined).session()
    expect((await withSession(connect(undefined, others), anonymous)).status).toBe(404)
  })

  it('of a user has the tools of the present props', async () => {
    const session = await connect(user('ada')).session()
    expect(toolNames(await session.request('tools/list'))).not.toContain('only_admin')
    const promoted = await withSession(connect(user('ada', { roles: ['admin'] })), session)
    expect(toolNames(await promoted.json())).toContain('only_admin')
    expect(toolNames(await session.request('tools/list'))).not.toContain('only_admin')
  })

  it('without a user ends when the props change, unless subject names the person', async () => {
    const props = { login: 'ada', token: '1' }
    const renewed = { props: { ...props, token: '2' } }
    const session = await connect({ props }).session()
    expect((await withSession(connect(renewed), session)).status).toBe(404)
    const named = await connect({ props }, others).session()
    expect((await withSession(connect(renewed, others), named)).status).toBe(200)
  })

  it('calls init() once for initialize and once in its object, for any number of calls', async () => {
    const session = await connect(user('grace')).session()
    for (let count = 1; count <= 5; count++) {
      expect(textOf(await session.request('tools/call', call('count')))).toBe(`grace ${count}`)
    }
    expect(Notes.initialised.filter((login) => login === 'grace')).toHaveLength(2)
  })

  it('is not opened by an id of the Agents SDK', async () => {
    const id = 'f'.repeat(64)
    const response = await withSession(connect(undefined), { id } as HttpSession)
    expect(response.status).toBe(404)
  })

  it.each([
    ['a user', user('ada', { roles: ['reader'] }), 'ada accept reader'],
    ['an anonymous caller', undefined, 'nobody accept '],
  ])('resumes the question of %s after its object was evicted', async (_, ctx, text) => {
    const client = connect(ctx)
    const session = await client.session()
    const stream = await session.streamTool('ask')
    const question = await stream.message()
    const { pathname } = new URL(client.url)
    const auth = ctx && { ...authOf('ada'), resource: `${AGENT}${pathname}` }
    await evict('NOTES', session.id, auth)
    expect(await session.answer(question, { action: 'accept', content: { ok: true } })).toBe(202)
    const answered = await session.listen(stream.lastId)
    expect(textOf(await answered.message())).toBe(text)
  })
})

describe('a call of an agent whose caller loses its access while the call waits', () => {
  afterEach(() => {
    vi.useRealTimers()
    deniedSubjects.clear()
  })

  it('ends its stream with an error result', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const expiresAt = Math.ceil(Date.now() / 1000) + 60
    const client = connect({ props: { login: 'ada' }, auth: { expiresAt } }, others)
    const stream = await (await client.session()).streamTool('ask')
    await stream.message()
    deniedSubjects.add('ada')
    advanceClock(120_000)
    vi.advanceTimersByTime(30_000)
    const answer = (await stream.rest()).at(-1)
    expect(answer?.result).toMatchObject({ isError: true })
    expect(textOf(answer)).toMatch(/^The access of the caller has ended/)
  })
})

describe('the question of a modern call', () => {
  it('can be answered by its own caller alone', async () => {
    const ada = connect(user('ada'))
    const { result } = await ada.modern('tools/call', call('ask'))
    const [key = ''] = Object.keys(result.inputRequests)
    const inputResponses = { [key]: { action: 'accept', content: { ok: true } } }
    const params = { ...call('ask'), requestState: result.requestState, inputResponses }
    for (const ctx of [user('bob'), { props: { login: 'ada' } }, undefined]) {
      const { error } = await connect(ctx).modern('tools/call', params)
      expect(error.message).toBe('params.requestState is not valid for this request')
    }
    expect(textOf(await ada.modern('tools/call', params))).toBe('ada accept ')
  })
})

describe.each(ERAS)('an agent with an authorization of Edgeway, in the era %s', (era) => {
  const verified = Verified.serve('/mcp', { binding: 'VERIFIED', transport: 'auto' })
  const connectAs = (login: string, ctx?: AgentClientOptions['ctx']) =>
    new AgentClient(verified, { apiKey: `key-of-${login}`, ...(ctx && { ctx }) })

  it('has its props from there and not from ctx.props, and its handlers do not see the key', async () => {
    for (const login of ['ada', 'bob']) {
      const request = await connectAs(login, user('eve')).open(era)
      expect(toolNames(await request('tools/list'))).toEqual([`tool_of_${login}`])
      expect(textOf(await request('tools/call', call(`tool_of_${login}`)))).toBe(login)
    }
  })

  it('refuses a caller that it does not know, also with ctx.props', async () => {
    const { status } = await connectAs('eve', user('ada')).fetch(
      new Request(`${ORIGIN}/mcp`, { method: 'POST' }),
    )
    expect(status).toBe(401)
  })
})

describe('an agent with sharesInstances', () => {
  it('has one instance for all requests of a caller, and another for each other caller', async () => {
    const count = async (login: string) => {
      const client = connect({ props: { login } }, others)
      return textOf(await client.modern('tools/call', call('other')))
    }
    expect(await count('ada')).toBe('ada 1')
    expect(await count('ada')).toBe('ada 2')
    expect(await count('bob')).toBe('bob 1')
    expect(await count('ada')).toBe('ada 3')
  })
})

/** What names the callers of an agent: the name of its binding, and not the host. */
const AGENT = 'urn:edgeway:NOTES'

const authOf = (subject: string): AuthInfo => ({
  subject,
  issuer: AGENT,
  resource: `${AGENT}/mcp`,
  clientId: 'client',
  scopes: [],
})
