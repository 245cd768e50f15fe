import { protect } from '../oauth-provider/protect.ts'
import { echo } from '../tools/echo.ts'
import { agentClass } from './agent-class.ts'

export const Session = agentClass([echo])
export default protect(Session.serve('/mcp', { binding: 'MCP_SESSION' }))
