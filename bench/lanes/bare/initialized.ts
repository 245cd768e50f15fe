/** What the bare route answers to `initialize`: as much as a server of one tool has to say. */
import { SERVER_INFO } from '../tools/lane-tool.ts'

export const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: SERVER_INFO,
}
