/** What the bare route answers to `initialize`: byte for byte what Edgeway does. */
import { SERVER_INFO } from '../tools/lane-tool.ts'

export const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { logging: {}, tools: {} },
  serverInfo: SERVER_INFO,
}
