/**
 * The documentation of Edgeway as a public MCP server. README.md says how to run it.
 *
 *     npx wrangler dev --config examples/docs-server/wrangler.toml
 */

import { landingPage } from '../../src/features/landing-page/index.ts'
import { rateLimits } from '../../src/features/rate-limits/index.ts'
import { skills } from '../../src/features/skills/index.ts'
import { createEdgeway } from '../../src/index.ts'
import { INDEX, PAGES, SKILLS } from './content.generated.js'
import { createDocsServer } from './server.ts'

const server = createDocsServer({ pages: PAGES, index: INDEX, skills: SKILLS })

export default createEdgeway(server, { features: [skills(), rateLimits(), landingPage()] })
