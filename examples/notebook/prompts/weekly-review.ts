/** `weekly_review`: embeds the notes of the last days and asks for a review with next steps. */

import * as z from 'zod'
import { completable } from '../../../src/index.ts'
import { notebookOf } from '../env.ts'
import type { NotebookServer } from '../server.ts'
import { embedNotes, userText } from './embed.ts'

const MOST_NOTES = 40
const USUAL_DAYS = ['7', '14', '30']
const DAY_MS = 24 * 60 * 60 * 1000

const days = z
  .string()
  .regex(/^([1-9]|[1-9]\d|[1-2]\d\d|3[0-5]\d|36[0-5])$/, 'a whole number from 1 to 365')
  .optional()
  .describe('How many days to look back; 7 if left out')

export function registerWeeklyReview(server: NotebookServer): void {
  server.registerPrompt(
    'weekly_review',
    {
      title: 'Weekly review',
      description: 'Goes through the notes of the last days: themes, open ends, what to do next',
      argsSchema: z.object({
        days: completable(days, (typed) => USUAL_DAYS.filter((span) => span.startsWith(typed))),
      }),
    },
    async (args, ctx) => {
      const span = Number(args.days ?? 7)
      const since = Date.now() - span * DAY_MS
      const { notes, total } = await notebookOf(ctx).since(since, MOST_NOTES)
      const period = span === 1 ? 'the last day' : `the last ${span} days`
      if (notes.length === 0) {
        return `Nothing was written in my notebook in ${period}. Ask me what happened, and offer to note it down.`
      }
      const left = total > notes.length ? `, of which the ${notes.length} newest follow` : ''
      return [
        userText(
          `In ${period} these ${total} notes of my notebook were written or changed${left}.`,
        ),
        ...embedNotes(notes),
        userText(
          [
            'Review them with me:',
            '1. What were the themes? Two or three sentences.',
            '2. Which questions, promises and tasks are open? Name the note each comes from by its title.',
            '3. Which notes belong together, contradict each other, or should be merged or tagged?',
            '4. What are the three things to do next?',
            'Keep to what the notes say. Change nothing in the notebook before I agree.',
          ].join('\n'),
        ),
      ]
    },
  )
}
