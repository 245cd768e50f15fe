/**
 * Follows the reference server "everything" of modelcontextprotocol/servers, 2.0.0 (SDK 1.x, zod 4): the
 * same registrations and calls in miniature, without the task tools and the transports.
 */
import { McpServer } from '../../../../src/index.ts'
import { registerElicitation, registerRoots, registerSampling, syncRoots } from './client-tools.ts'
import { registerPrompts } from './prompts.ts'
import { registerResources, setSubscriptionHandlers } from './resources.ts'
import { registerTools } from './tools.ts'

export const createServer: () => {
  server: McpServer
  cleanup: (sessionId?: string) => void
} = () => {
  let initializeTimeout: ReturnType<typeof setTimeout> | null = null
  const server = new McpServer(
    { name: 'mcp-servers/everything', title: 'Everything', version: '2.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
      },
      instructions: 'Try everything.',
    },
  )
  registerTools(server)
  registerResources(server)
  registerPrompts(server)
  setSubscriptionHandlers(server)
  server.server.oninitialized = async () => {
    registerRoots(server)
    registerElicitation(server)
    registerSampling(server)
    const sessionId = server.server.transport?.sessionId
    initializeTimeout = setTimeout(() => syncRoots(server, sessionId), 350)
  }
  return {
    server,
    cleanup: () => {
      if (initializeTimeout) clearTimeout(initializeTimeout)
    },
  }
}
