/** The sessions of `McpAgent`, counting what the platform bills. */
import { countedClass, countedWorker } from '../tools/counting.ts'
import { echo } from '../tools/echo.ts'
import { agentClass } from './agent-class.ts'

const Agent = agentClass([echo])

export const Session = countedClass(Agent)
export default countedWorker(Agent.serve('/mcp', { binding: 'MCP_SESSION' }))
