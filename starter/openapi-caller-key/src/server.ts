/** The definition of the server: its name, a tool for each operation of the API, and its own tools. */
import { asks, createServer } from 'edgeway'
import { type CredentialSource, fromOpenAPI } from 'edgeway/openapi'
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

/** The key with which the caller has signed in. It is sent where the description requires credentials. */
export const keyOfCaller: CredentialSource = ({ auth }) => auth?.props?.apiKey as string | undefined

server.include(fromOpenAPI(description, { auth: keyOfCaller }))

registerTools(server)
