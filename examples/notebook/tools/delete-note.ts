/** `delete_note`: moves a note into the bin after the user has confirmed. `restore_note` restores it. */

import * as z from 'zod'
import { notebookOf } from '../env.ts'
import { notifyListeners } from '../notify-listeners.ts'
import type { NotebookContext, NotebookServer } from '../server.ts'
import { noteId } from './fields.ts'
import { unwrap } from './refuse.ts'

const outputSchema = z.object({
  id: z.string(),
  title: z.string(),
  deleted: z.boolean().describe('false: the user did not agree, and the note is unchanged'),
  asked: z.boolean().describe('Whether the user was asked'),
  restorableUntil: z.iso.datetime().optional(),
})

export function registerDeleteNote(server: NotebookServer): void {
  server.registerTool(
    'delete_note',
    {
      title: 'Delete a note',
      description:
        'Moves a note to the bin. It can be restored with restore_note for 30 days, then it is gone. Delete only what the user asked to have deleted. Where the client can ask, the user confirms first; where it cannot, the note is moved at once: tell the user so.',
      inputSchema: z.object({ id: noteId }),
      outputSchema,
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
