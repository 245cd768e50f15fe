/** `export_notes`: stores the notes as one Markdown document, which the user downloads. */

import * as z from 'zod'
import { notebookOf } from '../env.ts'
import { toDocument } from '../markdown.ts'
import type { NotebookServer } from '../server.ts'
import { tagFilter } from './fields.ts'
import { unwrap } from './refuse.ts'

/** How long the document can be downloaded, in milliseconds. */
const DOWNLOAD_TTL_MS = 60 * 60 * 1000

/** Notes per call to the object. Twenty of the longest notes have 5 MiB. */
const BATCH_NOTES = 20

export function registerExportNotes(server: NotebookServer): void {
  server.registerTool(
    'export_notes',
    {
      title: 'Export notes',
      description:
        'Makes one Markdown document of all notes, or of those with tags, and returns a link to it. Give the user the URL, which downloads the document for an hour without a sign-in. To read a few notes yourself, use read_note.',
      inputSchema: z.object({ tags: tagFilter }),
      outputSchema: z.object({
        name: z.string(),
        size: z.int().describe('Bytes'),
        url: z.string().describe('Downloads the document for every program that has the URL'),
        expiresAt: z.iso.datetime().describe('When the document is deleted'),
      }),
      scopes: ['read'],
      files: true,
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    async ({ tags }, ctx) => {
      const day = new Date().toISOString().slice(0, 10)
      const file = await ctx.file(`notebook-${day}.md`, documentOf(notebookOf(ctx), tags), {
        mimeType: 'text/markdown',
        ttlMs: DOWNLOAD_TTL_MS,
      })
      const { name, size } = file
      const url = await file.url({ ttlMs: DOWNLOAD_TTL_MS })
      const expiresAt = new Date(file.expiresAt).toISOString()
      const text = `${name} has ${size} bytes. For the user, until ${expiresAt}: ${url}`
      return {
        content: [{ type: 'text', text }, file],
        structuredContent: { name, size, url, expiresAt },
      }
    },
  )
}

/** The document as a stream, so that one batch of notes is in memory at a time. */
function documentOf(
  notebook: ReturnType<typeof notebookOf>,
  tags: readonly string[],
): ReadableStream<Uint8Array> {
  let after = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { notes, next } = unwrap(await notebook.batch({ tags, after, limit: BATCH_NOTES }))
        controller.enqueue(new TextEncoder().encode(notes.map(toDocument).join('')))
        if (next === undefined) controller.close()
        else after = next
      },
    },
    { highWaterMark: 0 },
  )
}
