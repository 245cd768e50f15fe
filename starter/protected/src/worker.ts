/** The Worker: serves the tools at `/mcp` to people who have signed in. */
import { createEdgeway } from 'edgeway'
import { health } from 'edgeway/health'
import { inspector } from 'edgeway/inspector'
import { landingPage } from 'edgeway/landing-page'
import { rateLimits } from 'edgeway/rate-limits'
import { serverCard } from 'edgeway/server-card'
import { sessions } from 'edgeway/sessions'
import { auth } from './auth.ts'
import { server } from './server.ts'

/** `wrangler.jsonc` sets it to false, and `npm run dev` to true: the inspector is not part of what is deployed. */
declare const DEVELOPMENT: boolean

const edgeway = createEdgeway(server, {
  auth,
  features: [
    sessions(),
    rateLimits(),
    landingPage(),
    health(),
    // Under this name, directories list the server: put your account, or a domain of yours in reverse, before the slash.
    serverCard({ name: 'io.github.your-account/edgeway-starter' }),
    DEVELOPMENT && inspector(),
  ],
})

export default edgeway

export class McpObjects extends edgeway.Objects {}
