/** `restore_note`: a deleted note, back from the bin. */

import * as z from 'zod'
import type { McpServer } from '../../../src/index.ts'
import { type Env, notebookOf } from '../env.ts'
import { notifyListeners } from '../notify-listeners.ts'
import { describeNote, noteId, noteInfo } from './fields.ts'
import { unwrap } from './refuse.ts'

export function registerRestoreNote(server: McpServer<Env>): void {
  server.registerTool(
    'restore_note',
    {
      title: 'Restore a note',
      description:
        'Takes a note out of the bin, with its text and tags. If its id or title has been taken since, it comes back under a numbered one: read both from the answer.',
      inputSchema: z.object({
        id: noteId.describe('Id the note had; list_notes with place "bin" shows those there are'),
      }),
      outputSchema: noteInfo,
      scopes: ['write'],
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    async ({ id }, ctx) => {
      const note = unwrap(await notebookOf(ctx).restore(id))
      notifyListeners(ctx, { notes: [note.id], tags: true })
      return describeNote(note)
    },
  )
}
