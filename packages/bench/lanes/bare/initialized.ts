/** The bare route's result of `initialize`, byte for byte the same as Edgeway's. */
import { SERVER_INFO } from '../tools/lane-tool.ts'

export const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { logging: {}, tools: {} },
  serverInfo: SERVER_INFO,
}
