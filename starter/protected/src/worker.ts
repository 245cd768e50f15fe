/** The Worker: serves the tools at `/mcp` to people who have signed in. */
import { createEdgeway, health, landingPage, rateLimits, sessions } from 'edgeway'
import { inspector } from 'edgeway/inspector'
import { auth } from './auth.ts'
import { server } from './server.ts'

const edgeway = createEdgeway(server, {
  auth,
  features: [sessions(), rateLimits(), landingPage(), health(), inspector()],
})

export default edgeway

export class McpKeyring extends edgeway.objects.McpKeyring {}
export class McpSession extends edgeway.objects.McpSession {}
export class McpAccount extends edgeway.objects.McpAccount {}
