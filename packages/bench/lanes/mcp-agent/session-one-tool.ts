import { echo } from '../tools/echo.ts'
import { agentClass } from './agent-class.ts'

export const Session = agentClass([echo])
export default Session.serve('/mcp', { binding: 'MCP_SESSION' })
