/** `recall`: embeds the notes on a topic and asks for a summary that names its sources. */

import * as z from 'zod'
import { type Complete, completable } from '../../../src/index.ts'
import { type Env, notebookOf } from '../env.ts'
import { LIMITS } from '../note.ts'
import type { NotebookServer } from '../server.ts'
import { embedNotes, userText } from './embed.ts'

const MOST_NOTES = 12
const SUGGESTIONS = 20

const topic = z
  .string()
  .min(1)
  .max(LIMITS.queryCharacters)
  .describe('A tag, a title, or a few words')

/** Suggests tags and then note titles that start with the typed text. */
const suggestTopics: Complete<Env> = async (typed, { ctx }) => {
  const notebook = notebookOf(ctx)
  const [tags, notes] = await Promise.all([
    notebook.tags(),
    notebook.startingWith(typed, SUGGESTIONS),
  ])
  const prefix = typed.toLowerCase()
  const matching = tags.map(({ tag }) => tag).filter((tag) => tag.startsWith(prefix))
  return [...matching.slice(0, SUGGESTIONS), ...notes.map(({ title }) => title)]
}

export function registerRecall(server: NotebookServer): void {
  server.registerPrompt(
    'recall',
    {
      title: 'Recall a topic',
      description:
        'Puts together what the notebook says about a topic, naming the notes it is from',
      argsSchema: z.object({
        topic: completable<typeof topic, Env>(topic, suggestTopics),
      }),
    },
    async ({ topic }, ctx) => {
      const notes = await notebookOf(ctx).about(topic, MOST_NOTES)
      if (notes.length === 0) {
        return `My notebook says nothing about "${topic}". Tell me so, and ask whether to look under another word or to start a note on it.`
      }
      return [
        userText(`These notes of my notebook have to do with "${topic}", the closest first.`),
        ...embedNotes(notes),
        userText(
          `Put together what my notebook says about "${topic}". Name the note behind each statement by its title. Say where notes contradict each other, which is newer, and what they leave open. Add nothing that is not in them; if you know more, say so apart from the rest.`,
        ),
      ]
    },
  )
}
