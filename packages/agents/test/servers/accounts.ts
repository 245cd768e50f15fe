/**
 * Tools in several files over a server class of its own, with the calls of Cloudflare's
 * `mcp-server-cloudflare` before it left `McpAgent`: `server` is created in `init()` from the environment
 * and the props, wrapped tools are counted, and API tokens are checked before `serve()`.
 */
import { z } from 'zod'
import { McpServer, type ToolAnnotations, type ZodRawShape } from '../../../sdk/src/index.ts'
import { McpAgent } from '../../src/index.ts'

type Props = {
  type: 'user_token' | 'account_token'
  accessToken: string
  accounts: string[]
}

interface Env extends Cloudflare.Env {
  readonly MCP_SERVER_NAME: string
}

/** The calls of all tools, as the metrics of the original. */
export const metrics: string[] = []

class AccountsServer extends McpServer {
  readonly #accounts: readonly string[]

  constructor({
    name,
    accounts,
    instructions,
  }: {
    name: string
    accounts: readonly string[]
    instructions: string
  }) {
    super({ name, version: '2.0.0' }, { instructions })
    this.#accounts = accounts
    const register = this.registerTool.bind(this) as (...args: unknown[]) => never
    this.registerTool = ((
      name: string,
      config: object,
      callback: (...args: unknown[]) => unknown,
    ) =>
      register(name, config, async (...args: unknown[]) => {
        metrics.push(name)
        return callback(...args)
      })) as typeof this.registerTool
  }

  /** Adds the parameter `account` for callers who have several accounts. */
  accountTool<Shape extends ZodRawShape>(
    name: string,
    description: string,
    shape: Shape,
    annotations: ToolAnnotations,
    callback: (args: Record<string, unknown>, account: string) => Promise<string>,
  ) {
    const several = this.#accounts.length > 1
    const inputSchema = {
      ...shape,
      ...(several && { account: z.enum(this.#accounts as [string]) }),
    }
    const config = { description, inputSchema: inputSchema as ZodRawShape, annotations }
    return this.registerTool(name, config, async (given: Record<string, unknown>) => {
      const account = several ? String(given.account) : String(this.#accounts[0])
      return { content: [{ type: 'text', text: await callback(given, account) }] }
    })
  }
}

function getProps<P>(agent: { props?: P | undefined }): P {
  if (agent.props === undefined) throw new Error('Props required')
  return agent.props
}

function registerBucketTools(agent: Accounts) {
  agent.server.accountTool(
    'buckets_list',
    'Lists the buckets of an account',
    { page: z.number().optional() },
    { title: 'List buckets', readOnlyHint: true },
    async (_, account) => `${getProps(agent).accessToken.slice(0, 3)} ${account}/bucket`,
  )
}

function registerPrompts(server: AccountsServer) {
  server.prompt('setup', 'How to begin', async () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Begin with a bucket' } }],
  }))
}

export class Accounts extends McpAgent<Env, Record<string, never>, Props> {
  _server: AccountsServer | undefined

  set server(server: AccountsServer) {
    this._server = server
  }

  get server(): AccountsServer {
    if (this._server === undefined) throw new Error('Tried to read server before it was set')
    return this._server
  }

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
  }

  async init() {
    const { accounts } = getProps(this)
    this.server = new AccountsServer({
      name: this.env.MCP_SERVER_NAME,
      accounts,
      instructions: `You act for ${accounts.join(' and ')}`,
    })
    registerBucketTools(this)
    registerPrompts(this.server)
  }
}

/** The accounts of each API token. */
export const ACCOUNTS_OF: Readonly<Record<string, string[]>> = {
  'ada-token': ['ada-home', 'ada-work'],
  'bob-token': ['bob-home'],
}

export const accountsWorker = {
  async fetch(request: Request, env: Env, ctx: ExecutionContext) {
    const [type, accessToken = ''] = (request.headers.get('authorization') ?? '').split(' ')
    const accounts = ACCOUNTS_OF[accessToken]
    if (type !== 'Bearer' || accounts === undefined) return new Response(null, { status: 401 })
    const withProps = ctx as { props: Props }
    withProps.props = {
      type: accounts.length === 1 ? 'account_token' : 'user_token',
      accessToken,
      accounts,
    }
    const binding = 'ACCOUNTS'
    if (new URL(request.url).pathname.startsWith('/sse')) {
      return Accounts.serveSSE('/sse', { binding }).fetch(request, env, ctx)
    }
    return Accounts.serve('/mcp', { binding }).fetch(request, env, ctx)
  },
}
