import { createMcpHandler } from '@modelcontextprotocol/server'
import { createAskingServer } from './two-rounds.ts'

export default createMcpHandler(createAskingServer)
