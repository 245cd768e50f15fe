/** The Worker: the endpoint at `/mcp` behind its own authorization, and the object that keeps a notebook. */
import { createEdgeway, embedded } from '../../src/index.ts'
import { server } from './server.ts'

export { Notebook } from './object/notebook-object.ts'

const edgeway = createEdgeway(server, {
  auth: embedded({
    scopes: {
      read: 'Search and read your notes',
      write: {
        description: 'Write, tag, import and delete notes',
        includes: ['read'],
        // One question at the beginning, and not another one at the first note.
        initial: true,
      },
    },
  }),
})

export default edgeway
export const { McpHub, McpKeyring, McpSession, McpAccount } = edgeway.objects
