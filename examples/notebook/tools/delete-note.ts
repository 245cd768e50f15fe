/** `delete_note`: into the bin, from where `restore_note` brings it back. */
import * as z from 'zod'
import type { McpServer } from '../../../src/index.ts'
import { type Env, notebookOf } from '../env.ts'
import { noteId } from './fields.ts'
import { unwrap } from './refuse.ts'

export function registerDeleteNote(server: McpServer<Env>): void {
  server.registerTool(
    'delete_note',
    {
      title: 'Delete a note',
      description:
        'Moves a note to the bin. It can be restored with restore_note for 30 days, then it is gone. Delete only what the user asked to have deleted.',
      inputSchema: z.object({ id: noteId }),
      outputSchema: z.object({
        id: z.string(),
        title: z.string(),
        restorableUntil: z.iso.datetime(),
      }),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    async ({ id }, ctx) => {
      const { title, expiresAt } = unwrap(await notebookOf(ctx).delete(id))
      return { id, title, restorableUntil: new Date(expiresAt).toISOString() }
    },
  )
}
