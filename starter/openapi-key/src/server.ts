/** The definition of the server: its name, a tool for each operation of the API, and its own tools. */
import { asks, createServer } from 'edgeway'
import { fromOpenAPI } from 'edgeway/openapi'
import description from './description.json' with { type: 'json' }
import { registerTools } from './tools.ts'

export const server = createServer({
  name: 'edgeway-starter',
  version: '1.0.0',
  description: 'The operations of an API as tools.',
  // What handlers find in `ctx` besides. Add one, such as `state()`, as a further value.
  uses: [asks()],
})

export type Server = typeof server

// The secret API_KEY is sent where the description requires credentials.
server.include(fromOpenAPI(description, { auth: { secret: 'API_KEY' } }))

registerTools(server)
