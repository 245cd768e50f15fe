/** `tag_note`: adds tags to a note and removes tags from it. */

import * as z from 'zod'
import { notebookOf } from '../env.ts'
import { notifyListeners } from '../notify-listeners.ts'
import type { NotebookServer } from '../server.ts'
import { describeNote, noteId, noteInfo, tags } from './fields.ts'
import { unwrap } from './refuse.ts'

export function registerTagNote(server: NotebookServer): void {
  server.registerTool(
    'tag_note',
    {
      title: 'Tag a note',
      description:
        'Adds tags to a note and removes others, leaving its text as it is. The resource note://tags shows which tags are in use: prefer those to new ones.',
      inputSchema: z.object({
        id: noteId,
        add: tags.default([]).describe('Tags to add; those it has already do no harm'),
        remove: tags.default([]).describe('Tags to remove; those it does not have do no harm'),
      }),
      outputSchema: noteInfo,
      scopes: ['write'],
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async ({ id, add, remove }, ctx) => {
      const note = unwrap(await notebookOf(ctx).retag(id, { add, remove }))
      const { title } = note
      notifyListeners(ctx, { notes: [{ id, title, action: 'changed' }], tags: true })
      return describeNote(note)
    },
  )
}
