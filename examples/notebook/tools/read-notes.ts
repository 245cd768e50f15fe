/** Tools that read: `search_notes`, `read_note`, `list_notes` and `export_notes`. */
import * as z from 'zod'
import { view } from '../../../src/features/apps/index.ts'
import { notebookOf } from '../env.ts'
import { LIMITS, type Note, type SearchPage, toDocument } from '../note.ts'
import { noteLink } from '../resources.ts'
import type { NotebookServer } from '../server.ts'
import { note as noteView, search as searchView } from '../views.generated.ts'
import {
  describeNote,
  limit,
  nextOffset,
  nextOffsetOf,
  noteId,
  noteInfo,
  noteLine,
  offset,
  tagFilter,
  unwrap,
} from './fields.ts'

/** Full-text search with links to the notes found. */
export function registerSearchNotes(server: NotebookServer): void {
  server.registerTool(
    'search_notes',
    {
      title: 'Search notes',
      description:
        'Finds notes by the words in their titles, bodies and tags, best match first, each with the passage that fits. Case and accents do not matter; the last word also matches longer words; words in double quotes must be adjacent. Use this before saying that something was never noted.',
      inputSchema: z.object({
        query: z
          .string()
          .min(1)
          .max(LIMITS.queryCharacters)
          .describe('A few telling words, such as: lisbon hotel "late checkout"'),
        tags: tagFilter,
        limit: limit(10),
        offset,
      }),
      outputSchema: z.object({
        total: z.int().describe('How many notes match in all'),
        matched: z
          .enum(['all', 'any'])
          .describe('"any": no note holds every word, so these hold at least one'),
        results: z.array(noteInfo.extend({ snippet: z.string() })),
        nextOffset,
      }),
      scopes: ['read'],
      ui: view({ ...searchView, title: 'Search results', prefersBorder: true }),
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async (request, ctx) => {
      const page = unwrap(await notebookOf(ctx).search(request))
      const { hits, total, matched } = page
      const next = nextOffsetOf(request.offset, hits.length, total)
      return {
        content: [{ type: 'text', text: reportOf(page, next) }, ...hits.map(noteLink)],
        structuredContent: {
          total,
          matched,
          results: hits.map((hit) => ({ ...describeNote(hit), snippet: hit.snippet })),
          ...(next && { nextOffset: next }),
        },
      }
    },
  )
}

function reportOf({ hits, total, matched }: SearchPage, next: number | undefined): string {
  if (total === 0) return 'No note matches. Try other words, or list_notes to browse.'
  const partly = matched === 'any' ? ' No note holds every word; these hold some.' : ''
  const lines = hits.map((hit) => `- ${noteLine(hit)}\n  ${hit.snippet.replace(/\s+/gu, ' ')}`)
  const more = next === undefined ? [] : [`For more call search_notes with offset ${next}.`]
  const count = total === 1 ? '1 note matches.' : `${total} notes match.`
  return [`${count}${partly}`, ...lines, ...more].join('\n')
}

/**
 * Bytes of UTF-8, of which about three are a token in every script. Claude Code passes on 25,000 tokens.
 * Characters would not bound them: a Chinese one is about a token.
 */
const PART_BYTES = 50_000

/** Returns the unchanged text of a note after a summary line. */
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
      ui: view({ ...noteView, title: 'Note', prefersBorder: true }),
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

/** Lists the notes by recency, or the notes in the bin. */
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

/** How long the document can be downloaded, in milliseconds. */
const DOWNLOAD_TTL_MS = 60 * 60 * 1000

/** Notes per call to the object. Twenty of the longest notes have 5 MiB. */
const BATCH_NOTES = 20

/** Stores the notes as one Markdown document, which the user downloads. */
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
