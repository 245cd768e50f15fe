/** The Worker: serves the tools at `/mcp` to every caller who knows the URL. */
import { createEdgeway, health, landingPage, rateLimits, sessions } from 'edgeway'
import { inspector } from 'edgeway/inspector'
import { server } from './server.ts'

const edgeway = createEdgeway(server, {
  features: [sessions(), rateLimits(), landingPage(), health(), inspector()],
})

export default edgeway

export class McpKeyring extends edgeway.objects.McpKeyring {}
export class McpSession extends edgeway.objects.McpSession {}
