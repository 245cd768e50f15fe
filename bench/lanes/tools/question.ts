/** What the asking tool asks before it answers, in every lane alike. */
import * as z from 'zod'

/** Names the question, and its answer in the second round. */
export const QUESTION_KEY = 'confirm'

export const confirmation = z.object({ confirm: z.boolean() })

/** The same in JSON, for a library that is handed one. */
export const confirmationJsonSchema = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const } },
  required: ['confirm'],
}

export const questionOf = (text: string) => `Return ${text}?`

/** What the tool says to anything but a yes. */
export const NOT_CONFIRMED = 'Not confirmed'
