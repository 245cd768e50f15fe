/** The Worker: serves the tools at `/mcp` to every caller who knows the URL. */
import { createEdgeway } from 'edgeway'
import { features } from './features.ts'
import { server } from './server.ts'

const edgeway = createEdgeway(server, { features })

export class McpObjects extends edgeway.Objects {}
export default edgeway
