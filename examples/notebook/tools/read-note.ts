/** `read_note`: returns the unchanged text of a note after a summary line. */
import * as z from 'zod'
import type { McpServer } from '../../../src/index.ts'
import { type Env, notebookOf } from '../env.ts'
import type { Note } from '../note.ts'
import { NOTE_VIEW } from '../views/note-view.ts'
import { describeNote, noteId, noteInfo } from './fields.ts'
import { unwrap } from './refuse.ts'

/** Hosted clients truncate results that are much longer. */
const PART_CHARACTERS = 50_000

export function registerReadNote(server: McpServer<Env>): void {
  server.registerTool(
    'read_note',
    {
      title: 'Read a note',
      description: `Returns the Markdown text of a note, with its title, tags and revision. A text of more than ${PART_CHARACTERS} characters comes in parts: call again with start.`,
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
      ui: { uri: 'ui://notebook/note', html: NOTE_VIEW, title: 'Note', prefersBorder: true },
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
  let end = start + PART_CHARACTERS
  if (end >= body.length) return { text: body.slice(start), nextStart: undefined }
  // The part must not end inside a surrogate pair.
  if (/[\ud800-\udbff]/.test(body.charAt(end - 1))) end -= 1
  return { text: body.slice(start, end), nextStart: end }
}
