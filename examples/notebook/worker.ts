/** The Worker: the endpoint at `/mcp` with its authorization server, and the Durable Object of a notebook. */

import { inspector } from '../../src/features/inspector/index.ts'
import {
  apps,
  changes,
  createEdgeway,
  embedded,
  files,
  health,
  landingPage,
  sessions,
  skills,
  tasks,
} from '../../src/index.ts'
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
    changes(),
    tasks(),
    files(),
    skills(),
    apps(),
    landingPage(),
    health(),
    inspector(),
  ],
})

export default edgeway

export class McpHub extends edgeway.objects.McpHub {}
export class McpKeyring extends edgeway.objects.McpKeyring {}
export class McpSession extends edgeway.objects.McpSession {}
export class McpAccount extends edgeway.objects.McpAccount {}
export class McpState extends edgeway.objects.McpState {}
