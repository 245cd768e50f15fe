/** `write_note`: creates a note or replaces an existing one. */

import * as z from 'zod'
import { notebookOf } from '../env.ts'
import { LIMITS } from '../note.ts'
import { notifyListeners } from '../notify-listeners.ts'
import type { NotebookServer } from '../server.ts'
import { describeNote, noteId, noteInfo, tags, title } from './fields.ts'
import { unwrap } from './refuse.ts'

export function registerWriteNote(server: NotebookServer): void {
  server.registerTool(
    'write_note',
    {
      title: 'Write a note',
      description:
        'Creates a note, or replaces the whole text of one. To create, leave id out. To replace, pass the id, the complete new body, and as expectedRevision the revision you read, so that nothing written in between is lost. To add to a note use append_to_note instead.',
      inputSchema: z.object({
        id: noteId
          .optional()
          .describe('Id of the note to replace. Leave it out for a new note: its title names it'),
        title,
        body: z
          .string()
          .max(LIMITS.bodyBytes)
          .describe('The whole text in Markdown, without the title. At most 256 KiB'),
        tags: tags
          .optional()
          .describe(`${tags.description}. Left out, a replaced note keeps its own`),
        expectedRevision: z
          .int()
          .min(1)
          .optional()
          .describe('Revision being replaced. The call is refused if the note has another by now'),
      }),
      outputSchema: z.object({
        effect: z.enum(['created', 'replaced', 'unchanged']),
        note: noteInfo,
      }),
      scopes: ['write'],
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async (draft, ctx) => {
      const { note, effect } = unwrap(await notebookOf(ctx).write(draft))
      if (effect !== 'unchanged') {
        const action = effect === 'created' ? 'created' : 'changed'
        notifyListeners(ctx, { notes: [{ id: note.id, title: note.title, action }], tags: true })
      }
      return { effect, note: describeNote(note) }
    },
  )
}
