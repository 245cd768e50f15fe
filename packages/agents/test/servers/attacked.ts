/** Agents that are attacked, or that do what an author should not do. */
import { z } from 'zod'
import { verifier } from '../../../../src/auth/index.ts'
import type { TelemetryEvent } from '../../../../src/telemetry/index.ts'
import { McpServer } from '../../../sdk/src/index.ts'
import { type AgentOptions, McpAgent } from '../../src/index.ts'

type Props = { login: string; roles?: string[] }

/** Stores data of its session in fields. */
export class Notes extends McpAgent<Cloudflare.Env, unknown, Props> {
  /** The callers for whom `init()` was called. */
  static readonly initialised: string[] = []
  server = new McpServer({ name: 'Notes', version: '1.0.0' })
  notes: string[] = []
  calls = 0

  async init() {
    const { login = 'nobody', roles = [] } = this.props ?? {}
    Notes.initialised.push(login)
    this.server.tool('note', { text: z.string() }, async ({ text }) => {
      this.notes.push(text)
      return { content: [{ type: 'text', text: this.notes.join(',') }] }
    })
    this.server.tool('count', async () => {
      this.calls++
      return { content: [{ type: 'text', text: `${login} ${this.calls}` }] }
    })
    this.server.tool('escalate', async () => {
      this.props?.roles?.push('admin')
      return { content: [{ type: 'text', text: String(this.props?.roles) }] }
    })
    this.server.tool('ask', async () => {
      const { action } = await this.elicitInput({
        message: `Sure, ${login}?`,
        requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
      })
      return { content: [{ type: 'text', text: `${login} ${action} ${roles}` }] }
    })
    for (const role of roles) {
      this.server.tool(`only_${role}`, async () => ({ content: [{ type: 'text', text: login }] }))
    }
    this.server.tool(`tool_of_${login}`, `For ${login}`, async () => ({
      content: [{ type: 'text', text: login }],
    }))
  }
}

/** Subjects of {@link OtherNotes} whose access has ended. */
export const deniedSubjects = new Set<string>()

/** A second class in the same Worker, with other tools. */
export class OtherNotes extends McpAgent<Cloudflare.Env, unknown, Props> {
  static override readonly edgeway: AgentOptions = {
    subject: ({ login }) => String(login),
    renewCaller: (caller) => (deniedSubjects.has(caller.subject) ? undefined : caller),
    sharesInstances: true,
  }
  server = new McpServer({ name: 'Other notes', version: '1.0.0' })
  calls = 0

  async init() {
    this.server.tool('other', async () => {
      this.calls++
      return { content: [{ type: 'text', text: `${this.props?.login} ${this.calls}` }] }
    })
    this.server.tool('ask', async () => {
      const { action } = await this.elicitInput({
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
      })
      return { content: [{ type: 'text', text: `${this.props?.roles} ${action}` }] }
    })
  }
}

/** Has callers of Edgeway's own, in place of code in front. */
export class Verified extends McpAgent<Cloudflare.Env, unknown, Props> {
  static override readonly edgeway: AgentOptions = {
    auth: verifier(
      (request) => {
        const login = request.headers.get('x-api-key')?.replace('key-of-', '')
        return login === 'eve' ? undefined : { subject: String(login), props: { login } }
      },
      { credentials: { header: 'x-api-key' } },
    ),
  }
  server = new McpServer({ name: 'Verified', version: '1.0.0' })

  async init() {
    const login = String(this.props?.login)
    this.server.tool(`tool_of_${login}`, async ({ requestInfo }) => {
      const text = requestInfo?.headers['x-api-key'] ?? login
      return { content: [{ type: 'text', text: String(text) }] }
    })
  }
}

/** Telemetry of {@link Faulty}. */
export const faultyEvents: TelemetryEvent[] = []

/** Fails, hangs or is slow for the callers who are named so. */
export class Faulty extends McpAgent<Cloudflare.Env, unknown, Props> {
  static override readonly edgeway: AgentOptions = {
    limits: { factoryTimeoutMs: 300 },
    telemetry: (event) => faultyEvents.push(event),
  }
  server = new McpServer({ name: 'Faulty', version: '1.0.0' })

  async init() {
    const login = this.props?.login
    if (login === 'throws') throw new Error('canary-secret: no database')
    if (login === 'hangs') await new Promise(() => undefined)
    if (login === 'slow') await new Promise((resolve) => setTimeout(resolve, 150))
    this.server.tool('ok', async () => ({ content: [{ type: 'text', text: `${login}` }] }))
  }
}

/** Uses what only the Durable Object of the Agents SDK has, in a place that its source does not show. */
export class Forgetful extends McpAgent {
  static override readonly edgeway: AgentOptions = {
    needsSession: false,
    telemetry: () => undefined,
  }
  server = new McpServer({ name: 'Forgetful', version: '1.0.0' })

  async init() {
    for (const name of ['sql', 'schedule', 'broadcast']) {
      this.server.tool(`use_${name}`, async () => {
        Reflect.get(this, name)
        return { content: [{ type: 'text', text: 'used' }] }
      })
    }
    this.server.tool('use_storage', async () => {
      Reflect.get(this.ctx, 'storage')
      return { content: [{ type: 'text', text: 'used' }] }
    })
    this.server.tool('use_state', async () => {
      this.setState({ a: 1 })
      return { content: [{ type: 'text', text: 'used' }] }
    })
    this.server.tool('wait', async () => {
      this.ctx.waitUntil(Promise.resolve())
      return { content: [{ type: 'text', text: 'waits' }] }
    })
  }
}
