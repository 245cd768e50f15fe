/** The prompts. They embed notes up to a size limit and link the rest. */
import * as z from 'zod'
import { type Complete, completable } from '../../src/index.ts'
import type { PromptMessage } from '../../src/protocol/index.ts'
import { type Env, notebookOf } from './env.ts'
import { LIMITS, type Note, toDocument } from './note.ts'
import { NOTE_TYPE, noteLink, noteUri } from './resources.ts'
import type { NotebookServer } from './server.ts'

const MOST_REVIEWED_NOTES = 40
const USUAL_DAYS = ['7', '14', '30']
const DAY_MS = 24 * 60 * 60 * 1000

const days = z
  .string()
  .regex(/^([1-9]|[1-9]\d|[1-2]\d\d|3[0-5]\d|36[0-5])$/, 'a whole number from 1 to 365')
  .optional()
  .describe('How many days to look back; 7 if left out')

/** Embeds the notes of the last days and asks for a review with next steps. */
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
      const { notes, total } = await notebookOf(ctx).since(since, MOST_REVIEWED_NOTES)
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

const MOST_RECALLED_NOTES = 12
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

/** Embeds the notes on a topic and asks for a summary that names its sources. */
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
      const notes = await notebookOf(ctx).about(topic, MOST_RECALLED_NOTES)
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

/** Limit for all embedded texts of one prompt together, so that the prompt fits into a model's context. */
const MAX_EMBEDDED_CHARACTERS = 100_000

function userText(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } }
}

function embedNotes(notes: readonly Note[]): PromptMessage[] {
  let room = MAX_EMBEDDED_CHARACTERS
  return notes.map((note): PromptMessage => {
    room -= note.characters
    if (room < 0) return { role: 'user', content: noteLink(note) }
    const resource = { uri: noteUri(note.id), mimeType: NOTE_TYPE, text: toDocument(note) }
    return { role: 'user', content: { type: 'resource', resource } }
  })
}
