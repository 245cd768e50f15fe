/** The elicitation of `asking`, the same in every lane. */
import * as z from 'zod'

/** Key of the elicitation and of its response. */
export const QUESTION_KEY = 'confirm'

export const confirmation = z.object({ confirm: z.boolean() })

/** The same schema for a library that takes JSON Schema. */
export const confirmationJsonSchema = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const } },
  required: ['confirm'],
}

export const questionOf = (text: string) => `Return ${text}?`

/** Result of the tool when the person does not confirm. */
export const NOT_CONFIRMED = 'Not confirmed'
