/** Agents that fail, and agents that use what Edgeway does not have. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { McpServer as OfficialServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { describe, expect, it } from 'vitest'
import { ClientState } from '../../../durable-objects/session/client-state.ts'
import { SessionStorage } from '../../../durable-objects/session/session-storage.ts'
import type { TelemetryEvent } from '../../../src/telemetry/index.ts'
import { McpServer } from '../../sdk/src/index.ts'
import { McpAgent } from '../src/index.ts'
import { AgentClient, call, ERAS, textOf } from './agent-client.ts'
import { Faulty, Forgetful, faultyEvents } from './servers/attacked.ts'
import { Counter, counterWorker } from './servers/counter.ts'
import { evict, objectOf } from './session-objects.ts'

const GUIDE = 'node_modules/edgeway/docs/guides/migrate.md#what-an-agent-does-not-carry'

const faulty = (login: string) =>
  new AgentClient(Faulty.serve('/mcp', { binding: 'FAULTY', transport: 'auto' }), {
    ctx: { props: { login } },
  })

describe('the limits of the sessions of an agent', () => {
  it('are options of sessions() in its settings', () => {
    class Limited extends Faulty {
      static override readonly edgeway = { sessions: { idleMs: 0 } }
    }
    expect(() => Limited.serve('/mcp', { binding: 'FAULTY' })).toThrow(
      new TypeError('sessions: idleMs must be a number above 0'),
    )
  })
})

describe('init()', () => {
  it.each(['throws', 'hangs'])(
    'that %s fails its caller with a reference, and no other',
    async (login) => {
      const failed = faulty(login).modern('tools/list')
      const served = await Promise.all(
        ['ada', 'bob', 'slow'].map((name) => faulty(name).modern('tools/call', call('ok'))),
      )
      expect(served.map(textOf)).toEqual(['ada', 'bob', 'slow'])
      const { error } = await failed
      expect(error.message).toMatch(/could not build its definition for you \(reference \w+\)/)
      expect(JSON.stringify(error)).not.toContain('canary')
      expect(faultyEvents).toContainEqual(expect.objectContaining({ type: 'handler-error' }))
      expect(textOf(await faulty('ada').modern('tools/call', call('ok')))).toBe('ada')
    },
  )

  it('that throws fails initialize of a session and of the transport of 2024-11-05', async () => {
    await expect(faulty('throws').session()).rejects.toThrow('No session: 500')
    const { error } = await (await faulty('throws').httpSseRequest('tools/list')).message()
    expect(error.message).toMatch(/could not build its definition/)
  })
})

class Schedules extends McpAgent {
  server = new McpServer({ name: 'Schedules', version: '1' })
  async init() {
    await (this as unknown as { schedule(seconds: number): Promise<void> }).schedule(60)
  }
}

class QueriesByName extends McpAgent {
  server = new McpServer({ name: 'QueriesByName', version: '1' })
  // @ts-expect-error: the type has no such member
  readonly rows = () => this.sql`select 1`
  async init() {}
}

class Stores extends McpAgent {
  server = new McpServer({ name: 'Stores', version: '1' })
  async init() {
    await this.ctx.storage.put('a', 1)
  }
}

class Requests extends McpAgent {
  server = new McpServer({ name: 'Requests', version: '1' })
  async init() {}
  onRequest() {
    return new Response('page')
  }
}

class Sockets extends McpAgent {
  server = new McpServer({ name: 'Sockets', version: '1' })
  async init() {}
  override async webSocketMessage() {}
}

class Alarms extends McpAgent {
  server = new McpServer({ name: 'Alarms', version: '1' })
  async init() {}
  override async alarm() {}
}

class Names extends McpAgent {
  server = new McpServer({ name: 'Names', version: '1' })
  // @ts-expect-error: the type has no such member
  readonly key = () => `notes:${this.name}`
  async init() {}
}

class Workflows extends McpAgent {
  server = new McpServer({ name: 'Workflows', version: '1' })
  async init() {}
  async onWorkflowProgress() {}
}

class Inherits extends Stores {
  override server = new McpServer({ name: 'Inherits', version: '1' })
}

/** Has members of these names of its own. */
class Own extends McpAgent {
  server = new McpServer({ name: 'Own', version: '1' })
  sql: unknown = 'postgres'
  queue = [1]
  declare retry: number
  broadcast() {
    return `${this.sql} ${this.queue} ${this.retry}`
  }
  async init() {
    this.retry = 2
    this.server.tool('own', async () => ({
      content: [{ type: 'text', text: this.broadcast() }],
    }))
  }
}

/** Uses a member that its base has. */
class Heir extends Own {
  override async init() {
    this.server.tool('heir', async () => ({
      content: [{ type: 'text', text: this.broadcast() }],
    }))
    await super.init()
  }
}

describe('an agent whose import of McpServer was forgotten', () => {
  it.each([
    ['the official McpServer', new OfficialServer({ name: 'official', version: '1' })],
    ['nothing', undefined],
  ])('reports what to import: %s', async (_, server) => {
    const events: TelemetryEvent[] = []
    class Forgot extends McpAgent {
      static override readonly edgeway = {
        telemetry: (event: TelemetryEvent) => events.push(event),
      }
      server = server as never
      async init() {}
    }
    const client = new AgentClient(Forgot.serve('/mcp', { binding: 'FORGETFUL' }))
    expect((await client.modern('tools/list')).error.code).toBe(-32603)
    const message = 'The server of Forgot is not of Edgeway: import McpServer from edgeway/sdk'
    expect(events[0]).toMatchObject({ type: 'handler-error', error: { message } })
  })
})

describe('serve()', () => {
  it.each([
    [Schedules, 'this.schedule of Schedules'],
    [QueriesByName, 'this.sql of QueriesByName'],
    [Stores, 'this.ctx.storage of Stores'],
    [Inherits, 'this.ctx.storage of Stores'],
    [Requests, 'Requests.onRequest()'],
    [Sockets, 'Sockets.webSocketMessage()'],
    [Alarms, 'Alarms.alarm()'],
    [Names, 'this.name of Names'],
    [Workflows, 'Workflows.onWorkflowProgress()'],
  ])('throws for %o, and links to the guide', (agentClass, subject) => {
    expect(() => agentClass.serve('/mcp')).toThrow(`${subject} is not carried: `)
    expect(() => agentClass.mount('/sse')).toThrow(GUIDE)
  })

  it('does not throw for members of the author that have such a name', async () => {
    const own = new AgentClient(Own.serve('/mcp', { binding: 'FORGETFUL' }))
    expect(textOf(await own.modern('tools/call', call('own')))).toBe('postgres 1 2')
    const heir = new AgentClient(Heir.serve('/mcp', { binding: 'FORGETFUL' }))
    expect(textOf(await heir.modern('tools/call', call('heir')))).toBe('postgres 1 2')
  })

  it.each(['/', '/*', '/:org/mcp'])('throws for the path %s', (path) => {
    expect(() => Counter.serve(path)).toThrow(`serve("${path}") is not carried: name one path`)
  })

  it('throws for McpAgent itself, which names no class', () => {
    expect(() => McpAgent.serve('/mcp', { binding: 'COUNTER' })).toThrow(
      'serve() of McpAgent itself is not carried: call serve() of the class that extends it',
    )
  })

  it('throws for an unknown jurisdiction and for an unknown transport', () => {
    expect(() => Counter.serve('/mcp', { jurisdiction: 'moon' } as object)).toThrow(
      'jurisdiction must be one of eu, us, fedramp, fedramp-high',
    )
    expect(() => Counter.serve('/mcp', { transport: 'rpc' as 'auto' })).toThrow('transport must be')
  })

  it('returns the same handler for the same class, path and options', () => {
    const options = { binding: 'COUNTER' }
    expect(Counter.serve('/mcp', options)).toBe(Counter.serve('/mcp', { ...options }))
    expect(Counter.serve('/mcp', options)).not.toBe(Counter.serve('/other', options))
  })

  it.each([
    [
      'the binding of the class',
      { MCP_OBJECTS: {} },
      'The binding MCP_OBJECT of the agent is missing',
    ],
    ['the objects', { MCP_OBJECT: {} }, 'Sessions need the binding MCP_OBJECTS or the secret'],
  ])('answers nothing without %s', async (_, bindings, message) => {
    const { fetch } = Counter.serve('/mcp')
    const request = new Request('https://agents.example.com/mcp', { method: 'POST' })
    await expect(fetch(request, bindings, {} as ExecutionContext)).rejects.toThrow(message)
  })

  it('lets all web pages use the endpoint, or those of one origin', async () => {
    const preflight = (origin: string, corsOptions?: object) => {
      const { fetch } = Counter.serve('/mcp', {
        binding: 'COUNTER',
        ...(corsOptions && { corsOptions }),
      })
      const headers = { origin, 'access-control-request-method': 'POST' }
      const request = new Request('https://agents.example.com/mcp', { method: 'OPTIONS', headers })
      return fetch(request, env, {} as ExecutionContext)
    }
    const page = 'https://page.example'
    expect((await preflight(page)).headers.get('access-control-allow-origin')).toBe(page)
    const options = { origin: page, headers: 'x-api-key', maxAge: 60 }
    const { status, headers } = await preflight(page, options)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-headers')).toMatch(/^authorization, .*, x-api-key$/)
    expect(headers.get('access-control-max-age')).toBe('60')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect((await preflight('https://other.example', options)).status).toBe(403)
  })
})

describe.each(ERAS)('a member that is not carried, used in the era %s', (era) => {
  const forgetful = Forgetful.serve('/mcp', { binding: 'FORGETFUL', transport: 'auto' })

  it.each(['sql', 'schedule', 'broadcast', 'storage'])(
    'fails the call with a sentence: %s',
    async (name) => {
      const request = await new AgentClient(forgetful).open(era)
      const { result } = await request('tools/call', call(`use_${name}`))
      expect(result.isError).toBe(true)
      expect(result.content[0].text).toMatch(/is not carried: .* See node_modules.edgeway/)
    },
  )

  it('lets waitUntil of this.ctx extend the call', async () => {
    const request = await new AgentClient(forgetful).open(era)
    expect(textOf(await request('tools/call', call('wait')))).toBe('waits')
  })
})

describe('the state of a session', () => {
  it('is refused with a sentence where the call has no session', async () => {
    const client = new AgentClient(Forgetful.serve('/mcp', { binding: 'FORGETFUL' }))
    const { result } = await client.modern('tools/call', call('use_state'))
    expect(result).toMatchObject({
      isError: true,
      content: [
        {
          text: 'This tool keeps its state in a session, and the call has none. Do not repeat it: tell the person to connect with a client that has sessions.',
        },
      ],
    })
  })

  it.each([
    ['is too large', 'x'.repeat(600_000), /at most 524288 characters/],
    ['is not JSON', undefined, /must be JSON/],
  ])('refuses a value that %s', async (_, value, message) => {
    const object = await objectOf('COUNTER', (await new AgentClient(counterWorker).session()).id)
    await runInDurableObject(object, (_, { storage }) => {
      const state = new ClientState(new SessionStorage(storage))
      expect(() => state.setState(value as string)).toThrow(message)
    })
  })

  it('outlives the memory of its object, and ends with the session', async () => {
    const session = await new AgentClient(counterWorker).session()
    await session.request('tools/call', call('add', { a: 4 }))
    await evict('COUNTER', session.id)
    const added = await session.request('tools/call', call('add', { a: 1 }))
    expect(textOf(added)).toBe('The total is 6')
    const object = await objectOf('COUNTER', session.id)
    expect((await session.end()).status).toBe(204)
    await runInDurableObject(object, (_, { storage }) => {
      expect(
        JSON.stringify(storage.sql.exec('SELECT name FROM sqlite_master').toArray()),
      ).not.toContain('settings')
    })
  })

  it('is kept by an alarm, because nothing but it may be in use', async () => {
    const session = await new AgentClient(counterWorker).session()
    await session.request('tools/call', call('add', { a: 4 }))
    const object = await objectOf('COUNTER', session.id)
    await runDurableObjectAlarm(object)
    await evictDurableObject(object)
    const { result } = await session.request('resources/read', { uri: 'mcp://resource/counter' })
    expect(result.contents[0].text).toBe('5')
  })
})

describe('an object that the Agents SDK has left', () => {
  it('keeps its tables, also when an old alarm fires', async () => {
    const object = env.COUNTER.getByName('streamable-http:old')
    await runInDurableObject(object, async (_, { storage }) => {
      storage.sql.exec('CREATE TABLE cf_agents_state (id TEXT, state TEXT)')
      storage.sql.exec("INSERT INTO cf_agents_state VALUES ('a', 'b')")
      await storage.setAlarm(Date.now() + 60_000)
    })
    expect(await runDurableObjectAlarm(object)).toBe(true)
    await runInDurableObject(object, (_, { storage }) => {
      expect(storage.sql.exec('SELECT * FROM cf_agents_state').toArray()).toHaveLength(1)
    })
  })
})
