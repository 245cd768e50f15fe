/** A tool that asks for a name, and the ask as each revision spells it. */
import * as z from 'zod'
import type { Handler } from '../support/session-server.ts'
import { type Asked, isOver } from './scenario.ts'

/** The revisions without modes of elicitation, titled choices, lists of choices, and several blocks in a message. */
export const isBeforeRichAsks = isOver('2025-06-18', '2025-03-26', '2024-11-05')

export const asked = (method: string, params: unknown): Asked => ({ method, params })

export const NAME = z.object({ name: z.string() })

export const ASKS_NAME: Handler = async ({ elicit }) => {
  const { action, content } = await elicit({ key: 'name', message: 'Who?', schema: NAME })
  return `${action} ${content?.name}`
}

export const NAME_FORM = {
  message: 'Who?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  },
}

export const ASKED_NAME = [asked('elicitation/create', { mode: 'form', ...NAME_FORM })]

export const ASKED_NAME_BEFORE = {
  on: isBeforeRichAsks,
  because: 'the mode of an elicitation came with 2025-11-25',
  asked: [asked('elicitation/create', NAME_FORM)],
}
