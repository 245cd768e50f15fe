/** The definition of the server: its name, a tool for each operation of the API, and its own tools. */
import { McpServer } from 'edgeway'
import { fromOpenAPI } from 'edgeway/openapi'
import description from './description.json' with { type: 'json' }
import { registerTools } from './tools.ts'

export const server = new McpServer({
  name: 'edgeway-starter',
  version: '1.0.0',
  description: 'The operations of an API as tools.',
})

// The secret API_KEY is sent where the description requires credentials.
server.include(fromOpenAPI(description, { auth: { secret: 'API_KEY' } }))

registerTools(server)
