/** `edgeway/agents`: `McpAgent`, for servers that were written for the Agents SDK. Needs `node:async_hooks`. */

export type { CorsOptions } from '../../sdk/src/cors-options.ts'
export type { ElicitResult, Result } from '../../sdk/src/types.ts'
export type { AgentOptions } from './agent-options.ts'
export { type ElicitInput, McpAgent } from './mcp-agent.ts'
export type { AgentHandler, ServeOptions } from './serve.ts'
