/** The definition of the server: its name, a tool for each operation of the API, and its own tools. */
import { McpServer } from 'edgeway'
import { type CredentialSource, fromOpenAPI } from 'edgeway/openapi'
import description from './description.json' with { type: 'json' }
import { registerTools } from './tools.ts'

export const server = new McpServer({
  name: 'edgeway-starter',
  version: '1.0.0',
  description: 'The operations of an API as tools.',
})

/** The key with which the caller has signed in. It is sent where the description requires credentials. */
export const keyOfCaller: CredentialSource = ({ auth }) => auth?.props?.apiKey as string | undefined

server.include(fromOpenAPI(description, { auth: keyOfCaller }))

registerTools(server)
