/** The Worker: the endpoint at `/mcp` with its authorization server, and the Durable Object of a notebook. */

import { inspector } from '../../packages/inspector/src/inspector/index.ts'
import { embedded } from '../../src/auth/index.ts'
import { apps } from '../../src/features/apps/index.ts'
import { health } from '../../src/features/health/index.ts'
import { landingPage } from '../../src/features/landing-page/index.ts'
import { serverCard } from '../../src/features/server-card/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { skills } from '../../src/features/skills/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import { createEdgeway } from '../../src/index.ts'
import { server } from './server.ts'

export { Notebook } from './object/notebook-object.ts'

const edgeway = createEdgeway(server, {
  auth: embedded({
    scopes: {
      read: 'Search and read your notes',
      write: {
        description: 'Write, tag, import and delete notes',
        includes: ['read'],
        // The first sign-in requests this scope, so that writing the first note needs no second consent.
        initial: true,
      },
    },
  }),
  features: [
    sessions(),
    tasks(),
    skills(),
    apps(),
    landingPage(),
    serverCard({ name: 'dev.edgeway/notebook' }),
    health(),
    inspector(),
  ],
})

export default edgeway

export class McpObjects extends edgeway.Objects {}
