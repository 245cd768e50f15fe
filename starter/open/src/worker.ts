/** The Worker: serves the tools at `/mcp` to every caller who knows the URL. */
import { createEdgeway } from 'edgeway'
import { inspector } from 'edgeway/inspector'
import { server } from './server.ts'

const edgeway = createEdgeway(server, { inspector: inspector() })

export default edgeway

export class McpKeyring extends edgeway.objects.McpKeyring {}
export class McpSession extends edgeway.objects.McpSession {}
