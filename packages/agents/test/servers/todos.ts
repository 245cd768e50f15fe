/**
 * A list of each user, with the calls of the Stytch demo `mcp-stytch-consumer-todo-list`: `server` is an
 * accessor without `init()`, resources come from a template with a list, and the code in front has checked
 * the token and puts its claims into the props.
 */
import { z } from 'zod'
import { McpServer, ResourceTemplate } from '../../../sdk/src/index.ts'
import { McpAgent } from '../../src/index.ts'

type Authentication = {
  claims: { sub: string }
}

/** The lists by user, in place of a KV namespace. */
const lists = new Map<string, string[]>()

export class Todos extends McpAgent<Cloudflare.Env, unknown, Authentication> {
  async init() {}

  get list(): string[] {
    const { sub } = (this.props as Authentication).claims
    const list = lists.get(sub) ?? []
    lists.set(sub, list)
    return list
  }

  formatResponse = (description: string): { content: Array<{ type: 'text'; text: string }> } => ({
    content: [{ type: 'text', text: `Success! ${description}\n\n${JSON.stringify(this.list)}` }],
  })

  get server() {
    const server = new McpServer({ name: 'Todos', version: '1.0.0' })

    server.resource(
      'Todos',
      new ResourceTemplate('todo://items/{id}', {
        list: async () => ({
          resources: this.list.map((name, index) => ({ name, uri: `todo://items/${index}` })),
        }),
      }),
      async (uri, { id }) => ({
        contents: [{ uri: uri.href, text: this.list[Number(id)] ?? 'NOT FOUND' }],
      }),
    )

    server.tool('createTodo', 'Adds a task', { text: z.string() }, async ({ text }) => {
      this.list.push(text)
      return this.formatResponse('Added')
    })

    return server
  }
}

const handler = Todos.serve('/mcp', { binding: 'TODOS', transport: 'auto' })

export const todosWorker = {
  fetch(request: Request, env: Cloudflare.Env, ctx: ExecutionContext) {
    const sub = request.headers.get('authorization')?.replace('Bearer ', '')
    if (sub === undefined) return new Response('Unauthorized', { status: 401 })
    ;(ctx as { props: Authentication }).props = { claims: { sub } }
    return handler.fetch(request, env, ctx)
  },
}
