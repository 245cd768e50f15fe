/**
 * Authorization: two scopes, a hook that adds the team of a person to the props, and tools that read
 * them. Needs the bindings of `wrangler.toml` in this folder.
 */
import * as z from 'zod'
import { inspector } from '../../packages/inspector/src/inspector/index.ts'
import { embedded } from '../../src/auth/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { landingPage } from '../../src/features/landing-page/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { createEdgeway, createServer } from '../../src/index.ts'

const server = createServer({ name: 'team-board', version: '1.0.0' })

server.registerTool(
  'who_am_i',
  {
    title: 'Who am I',
    description: 'Returns the account of the caller, its team and its scopes.',
    outputSchema: z.object({ subject: z.string(), team: z.string(), scopes: z.array(z.string()) }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    scopes: ['board:read'],
  },
  ({ auth }) => ({
    subject: auth?.subject ?? '',
    team: String(auth?.props?.team ?? 'none'),
    scopes: [...(auth?.scopes ?? [])],
  }),
)

server.registerTool(
  'post',
  {
    title: 'Post a message',
    description: 'Posts a message on the board of the team.',
    inputSchema: z.object({ message: z.string().max(200) }),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    // Not granted at first: the client requests it with the first call that needs it.
    scopes: ['board:write'],
  },
  ({ message }, { auth }) => `Posted for ${String(auth?.props?.team)}: ${message}`,
)

const edgeway = createEdgeway(server, {
  auth: embedded({
    scopes: {
      'board:read': 'Read the board of your team',
      'board:write': { description: 'Write on the board of your team', includes: ['board:read'] },
    },
    hooks: {
      // Props are stored encrypted and reach handlers only. Throwing would refuse the tokens.
      onIssue: ({ subject }) => ({ props: { team: subject === 'owner' ? 'blue' : 'green' } }),
    },
  }),
  features: [sessions(), changes(), landingPage(), inspector()],
})

export default edgeway

export class McpObjects extends edgeway.Objects {}
