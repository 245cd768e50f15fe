/** `restore_note`: restores a deleted note from the bin. */

import * as z from 'zod'
import { notebookOf } from '../env.ts'
import { notifyListeners } from '../notify-listeners.ts'
import type { NotebookServer } from '../server.ts'
import { describeNote, noteId, noteInfo } from './fields.ts'
import { unwrap } from './refuse.ts'

export function registerRestoreNote(server: NotebookServer): void {
  server.registerTool(
    'restore_note',
    {
      title: 'Restore a note',
      description:
        'Restores a note from the bin, with its text and tags. If another note has its id or title by now, the restored note gets a numbered one: read both from the answer.',
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
      notifyListeners(ctx, {
        notes: [{ id: note.id, title: note.title, action: 'created' }],
        tags: true,
      })
      return describeNote(note)
    },
  )
}
