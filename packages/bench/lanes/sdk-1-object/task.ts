/**
 * The experimental tasks of the official SDK 1.x, with one object per session and the SDK's task store,
 * which is in memory and is lost with the object.
 */
import { DurableObject } from 'cloudflare:workers'
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { SERVER_INFO } from '../tools/lane-tool.ts'

export { sessionRouter as default } from '../tools/session-router.ts'

const TTL_MS = 86_400_000

const DONE: CallToolResult = { content: [{ type: 'text', text: 'done' }] }

function createServer(): McpServer {
  const server = new McpServer(SERVER_INFO, {
    capabilities: { tasks: { requests: { tools: { call: {} } }, cancel: {}, list: {} } },
    taskStore: new InMemoryTaskStore(),
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  })
  for (const name of ['work', 'wait']) {
    server.experimental.tasks.registerToolTask(
      name,
      { description: name, inputSchema: {}, execution: { taskSupport: 'required' } },
      {
        createTask: async (_, { taskStore }) => {
          const task = await taskStore.createTask({ ttl: TTL_MS })
          // The step, after the response.
          if (name === 'work') {
            void Promise.resolve().then(() =>
              taskStore.storeTaskResult(task.taskId, 'completed', DONE),
            )
          }
          return { task }
        },
        getTask: async (_, { taskId, taskStore }) => await taskStore.getTask(taskId),
        getTaskResult: async (_, { taskId, taskStore }) =>
          (await taskStore.getTaskResult(taskId)) as CallToolResult,
      },
    )
  }
  return server
}

export class Session extends DurableObject {
  readonly #transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => this.ctx.id.name ?? '',
    // A JSON response is cheaper for this library than an event stream.
    enableJsonResponse: true,
  })
  readonly #connected = createServer().connect(this.#transport)

  override async fetch(request: Request): Promise<Response> {
    await this.#connected
    return this.#transport.handleRequest(request)
  }
}
