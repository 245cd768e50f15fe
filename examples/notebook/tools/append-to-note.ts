/** `append_to_note`: appends text to a note. */

import * as z from 'zod'
import { notebookOf } from '../env.ts'
import { LIMITS } from '../note.ts'
import { notifyListeners } from '../notify-listeners.ts'
import type { NotebookServer } from '../server.ts'
import { describeNote, noteId, noteInfo } from './fields.ts'
import { unwrap } from './refuse.ts'

export function registerAppendToNote(server: NotebookServer): void {
  server.registerTool(
    'append_to_note',
    {
      title: 'Append to a note',
      description:
        'Adds text at the end of a note as a paragraph of its own, leaving what is there as it is. Right for journals, logs and lists that grow. The note does not have to be read first.',
      inputSchema: z.object({
        id: noteId,
        text: z.string().min(1).max(LIMITS.bodyBytes).describe('Markdown to add'),
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
    async ({ id, text }, ctx) => {
      const note = unwrap(await notebookOf(ctx).append(id, text))
      const { title } = note
      notifyListeners(ctx, { notes: [{ id, title, action: 'changed' }], tags: false })
      return describeNote(note)
    },
  )
}
