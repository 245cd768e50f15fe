/** `list_notes`: lists the notes by recency, or the notes in the bin. */

import * as z from 'zod'
import { notebookOf } from '../env.ts'
import type { NotebookServer } from '../server.ts'
import {
  describeNote,
  limit,
  nextOffset,
  nextOffsetOf,
  noteInfo,
  offset,
  tagFilter,
} from './fields.ts'
import { unwrap } from './refuse.ts'

export function registerListNotes(server: NotebookServer): void {
  server.registerTool(
    'list_notes',
    {
      title: 'List notes',
      description:
        'Lists notes without their texts, the one changed last first. Use it to browse or to see what is under a tag; use search_notes to find something by its words.',
      inputSchema: z.object({
        place: z
          .enum(['notebook', 'bin'])
          .default('notebook')
          .describe('"bin": what was deleted and can be restored; tags do not apply there'),
        tags: tagFilter,
        limit: limit(30),
        offset,
      }),
      outputSchema: z.object({
        total: z.int(),
        notes: z.array(
          noteInfo.extend({
            expiresAt: z.iso.datetime().optional().describe('When a deleted note is gone for good'),
          }),
        ),
        nextOffset,
      }),
      scopes: ['read'],
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async ({ place, ...request }, ctx) => {
      const notebook = notebookOf(ctx)
      if (place === 'bin') {
        const { notes, total } = await notebook.listBin(request)
        const next = nextOffsetOf(request.offset, notes.length, total)
        const listed = notes.map((note) => ({
          ...describeNote(note),
          expiresAt: new Date(note.expiresAt).toISOString(),
        }))
        return { total, notes: listed, ...(next && { nextOffset: next }) }
      }
      const { notes, total } = unwrap(await notebook.list(request))
      const next = nextOffsetOf(request.offset, notes.length, total)
      return { total, notes: notes.map(describeNote), ...(next && { nextOffset: next }) }
    },
  )
}
