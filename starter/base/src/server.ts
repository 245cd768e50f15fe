/** The definition of the server: its name and its tools. */
import { McpServer } from 'edgeway'
import { registerTools } from './tools.ts'

export const server = new McpServer({
  name: 'edgeway-starter',
  version: '1.0.0',
  description: 'Rolls a die and books a table.',
})

registerTools(server)
