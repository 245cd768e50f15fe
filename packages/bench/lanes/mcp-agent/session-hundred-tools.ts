import { hundredTools } from '../tools/catalogue.ts'
import { agentClass } from './agent-class.ts'

export const Session = agentClass(hundredTools)
export default Session.serve('/mcp', { binding: 'MCP_SESSION' })
