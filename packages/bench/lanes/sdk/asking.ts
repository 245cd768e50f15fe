import { createMcpHandler } from '@modelcontextprotocol/server'
import { createAskingServer } from './elicitation-server.ts'

export default createMcpHandler(createAskingServer)
