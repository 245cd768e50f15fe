/** The Worker: serves the tools at `/mcp` to people who have signed in. */
import { createEdgeway } from 'edgeway'
import { auth } from './auth.ts'
import { features } from './features.ts'
import { server } from './server.ts'

const edgeway = createEdgeway(server, { auth, features })

export class McpObjects extends edgeway.Objects {}
export default edgeway
