/**
 * Authorization: two scopes, a hook that says which team a person is in, and a tool that knows who is
 * calling. Needs the bindings of `wrangler.toml` beside it.
 */
import * as z from 'zod'
import { createEdgeway, embedded, McpServer } from '../../src/index.ts'

const server = new McpServer({ name: 'team-board', version: '1.0.0' })

server.registerTool(
  'who_am_i',
  {
    description: 'Tells whose account this is, and what it may do.',
    outputSchema: z.object({ subject: z.string(), team: z.string(), scopes: z.array(z.string()) }),
    annotations: { readOnlyHint: true },
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
    description: 'Puts a line on the board of the team.',
    inputSchema: z.object({ line: z.string().max(200) }),
    // Asked for when it is needed: a client comes back to the consent page for it.
    scopes: ['board:write'],
  },
  ({ line }, { auth }) => `Posted for ${String(auth?.props?.team)}: ${line}`,
)

const edgeway = createEdgeway(server, {
  auth: embedded({
    scopes: {
      'board:read': 'Read the board of your team',
      'board:write': { description: 'Write on it', includes: ['board:read'] },
    },
    hooks: {
      // Props are kept encrypted, and reach handlers alone; throwing would refuse the person.
      onIssue: ({ subject }) => ({ props: { team: subject === 'owner' ? 'blue' : 'green' } }),
    },
  }),
})

export default edgeway
export const { McpHub, McpKeyring, McpSession, McpAccount } = edgeway.objects
