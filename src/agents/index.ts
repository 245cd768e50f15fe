/** `edgeway/agents`: `McpAgent`, for servers that were written for the Agents SDK. Needs `node:async_hooks`. */

export { McpHub } from '../../durable-objects/hub/hub-object.ts'
export { McpKeyring } from '../../durable-objects/keyring/keyring-object.ts'
export { McpState } from '../../durable-objects/state/state-object.ts'
export type { CorsOptions } from '../sdk/cors-options.ts'
export type { ElicitResult, Result } from '../sdk/types.ts'
export type { AgentOptions } from './agent-options.ts'
export type { AgentObjects } from './agent-server.ts'
export { type ElicitInput, McpAgent } from './mcp-agent.ts'
export type { AgentHandler, ServeOptions } from './serve.ts'
