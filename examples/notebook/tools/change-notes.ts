/** Tools that change single notes: `write_note`, `append_to_note`, `tag_note`, `delete_note` and `restore_note`. */
import * as z from 'zod'
import { notebookOf } from '../env.ts'
import { LIMITS } from '../note.ts'
import { notifyListeners } from '../note-changes.ts'
import type { NotebookContext, NotebookServer } from '../server.ts'
import { describeNote, noteId, noteInfo, tags, title, unwrap } from './fields.ts'

/** Creates a note or replaces an existing one. */
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

/** Appends text to a note. */
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

/** Adds tags to a note and removes tags from it. */
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

const deletion = z.object({
  id: z.string(),
  title: z.string(),
  deleted: z.boolean().describe('false: the user did not agree, and the note is unchanged'),
  asked: z.boolean().describe('Whether the user was asked'),
  restorableUntil: z.iso.datetime().optional(),
})

/** Moves a note into the bin after the user has confirmed. */
export function registerDeleteNote(server: NotebookServer): void {
  server.registerTool(
    'delete_note',
    {
      title: 'Delete a note',
      description:
        'Moves a note to the bin. It can be restored with restore_note for 30 days, then it is gone. Delete only what the user asked to have deleted. Where the client can ask, the user confirms first; where it cannot, the note is moved at once: tell the user so.',
      inputSchema: z.object({ id: noteId }),
      outputSchema: deletion,
      scopes: ['write'],
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    async ({ id }, ctx) => {
      if (!ctx.client.can('elicit')) return moveToBin(ctx, id, undefined)
      // A step stores the title and revision that the user sees, so that a later change is detected.
      const { title, revision } = await ctx.step('note', async () => {
        const { title, revision } = unwrap(await notebookOf(ctx).read(id))
        return { title, revision }
      })
      const answer = await ctx.elicit({
        key: 'confirm',
        message: `Move the note "${title}" to the bin? It can be restored for 30 days.`,
        schema: z.object({ remove: z.boolean().meta({ title: 'Move it to the bin' }) }),
      })
      if (answer.action === 'accept' && answer.content.remove) return moveToBin(ctx, id, revision)
      const why =
        answer.action === 'cancel'
          ? 'The user closed the question without answering. Do not try again unless they say so.'
          : 'The user does not want that.'
      return {
        content: [{ type: 'text' as const, text: `The note "${title}" was kept. ${why}` }],
        structuredContent: { id, title, deleted: false, asked: true },
      }
    },
  )
}

/**
 * Moves the note into the bin. A client without elicitation may also do this, because the note can be
 * restored.
 *
 * @param revision the revision that the user confirmed; undefined when the user was not asked
 */
async function moveToBin(ctx: NotebookContext, id: string, revision: number | undefined) {
  const { title, expiresAt } = unwrap(await notebookOf(ctx).delete(id, revision))
  notifyListeners(ctx, { notes: [{ id, title, action: 'deleted' }], tags: true })
  const restorableUntil = new Date(expiresAt).toISOString()
  const asked = revision !== undefined
  const unasked = asked ? '' : ' The user was not asked, as this client cannot ask: tell them.'
  const text = `The note "${title}" is in the bin; restore_note brings it back until ${restorableUntil}.${unasked}`
  return {
    content: [{ type: 'text' as const, text }],
    structuredContent: { id, title, deleted: true, asked, restorableUntil },
  }
}

/** Restores a deleted note from the bin. */
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
