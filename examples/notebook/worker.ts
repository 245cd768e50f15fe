/** The Worker: the endpoint at `/mcp`, and the object that keeps a notebook. */
import { createEdgeway } from '../../src/index.ts'
import { server } from './server.ts'

export { Notebook } from './object/notebook-object.ts'

const edgeway = createEdgeway(server)

export default edgeway
export const { McpHub, McpKeyring, McpSession } = edgeway.objects
