/** `read_note`: returns the unchanged text of a note after a summary line. */

import * as z from 'zod'
import { view } from '../../../src/features/apps/index.ts'
import { notebookOf } from '../env.ts'
import type { Note } from '../note.ts'
import type { NotebookServer } from '../server.ts'
import { NOTE_VIEW } from '../views/note-view.ts'
import { NO_OTHER_ORIGIN } from '../views/view-document.ts'
import { describeNote, noteId, noteInfo } from './fields.ts'
import { unwrap } from './refuse.ts'

/**
 * Bytes of UTF-8, of which about three are a token in every script. Claude Code passes on 25,000 tokens.
 * Characters would not bound them: a Chinese one is about a token.
 */
const PART_BYTES = 50_000

export function registerReadNote(server: NotebookServer): void {
  server.registerTool(
    'read_note',
    {
      title: 'Read a note',
      description: `Returns the Markdown text of a note, with its title, tags and revision. A text of more than ${PART_BYTES} bytes comes in parts: call again with start.`,
      inputSchema: z.object({
        id: noteId,
        start: z
          .int()
          .min(0)
          .default(0)
          .describe('Character to start at: nextStart of the answer before, for the next part'),
      }),
      outputSchema: noteInfo.extend({
        nextStart: z.int().optional().describe('Pass as start for more; absent at the end'),
      }),
      scopes: ['read'],
      ui: view({
        uri: 'ui://notebook/note',
        html: NOTE_VIEW,
        title: 'Note',
        prefersBorder: true,
        csp: NO_OTHER_ORIGIN,
      }),
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async ({ id, start }, ctx) => {
      const note = unwrap(await notebookOf(ctx).read(id))
      const { text, nextStart } = partOf(note.body, start)
      return {
        content: [
          { type: 'text', text: summaryOf(note, nextStart) },
          { type: 'text', text },
        ],
        structuredContent: { ...describeNote(note), ...(nextStart && { nextStart }) },
      }
    },
  )
}

/** Formats the metadata as text, because many clients do not show structured content to the model. */
function summaryOf(note: Note, nextStart: number | undefined): string {
  const { id, title, tags, revision, updatedAt, characters } = describeNote(note)
  const labels = tags.length === 0 ? 'no tags' : `tags: ${tags.join(', ')}`
  const summary = `"${title}" (id: ${id}, revision ${revision}, ${labels}, changed ${updatedAt})`
  return nextStart === undefined
    ? summary
    : `${summary}\nOnly a part: there are ${characters} characters. Call read_note with start ${nextStart} for the next.`
}

function partOf(body: string, start: number): { text: string; nextStart: number | undefined } {
  const text = body.slice(start, start + PART_BYTES)
  // A character whose bytes do not all fit is not read.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(PART_BYTES))
  const end = start + read
  return end >= body.length
    ? { text, nextStart: undefined }
    : { text: text.slice(0, read), nextStart: end }
}
