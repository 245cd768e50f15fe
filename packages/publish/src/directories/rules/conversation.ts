/** Which argument wants what a person and the model have said to each other, or what the model remembers of a person. */
import type { Members } from '../../../../text/src/json/members.ts'
import { takesText } from './credentials.ts'
import { propertiesIn } from './schema-walk.ts'
import { wordsOf } from './verbs.ts'

const TALK = '(?:conversation|chat|dialog(?:ue)?)'

/** Names of the whole of it. `conversation_id` names a conversation of the service. */
const WHOLE_NAMES: readonly RegExp[] = [
  new RegExp(
    `^(?:[a-z]+ ){0,2}(?:${TALK}|messages?|prompts?) (?:history|logs?|transcript|so far)$`,
  ),
  new RegExp(`^(?:full|whole|entire|complete|previous|prior|raw|user) ${TALK}$`),
  /^(?:full|whole|entire|all|previous|prior|raw) (?:messages|prompts?)$/,
  /^(?:(?:user|chat|assistant|model|claude|chatgpt) )memor(?:y|ies)$/,
]

const PART_NAMES: readonly RegExp[] = [
  new RegExp(`^(?:[a-z]+ ){0,2}${TALK} (?:context|summary|excerpt|recap)$`),
]

/** A conversation of the service, such as that of a ticket, is no conversation with the model. */
const NOT_OF_SERVICE =
  '(?! (?:of|in|on|from|for) (?:(?:the|a|an|this|each) )?(?!(?:user|person|human|assistant|model|session)\\b)[a-z])'

const WHOLE_TEXTS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:full|whole|entire|complete|verbatim|previous|prior|earlier) (?:[a-z]+ ){0,2}?${TALK}s?\\b${NOT_OF_SERVICE}`,
  ),
  new RegExp(
    `\\b${TALK} (?:history|logs?|transcript|so far|up to (?:now|this point))\\b${NOT_OF_SERVICE}`,
  ),
  new RegExp(
    `\\b(?:all|every|the last \\w+|previous) (?:messages?|turns?) (?:of|in|from) (?:the|this) ${TALK}\\b`,
  ),
  /\b(?:everything|all|what|whatever) (?:that )?the (?:user|person|human) (?:has |have )?(?:said|asked|written|typed|wrote|told)\b/,
  /\b(?:memories|memory) (?:of|that) (?:claude|chatgpt|the (?:assistant|model|ai))\b|\bwhat (?:claude|chatgpt|the (?:assistant|model|ai)) remembers\b/,
]

const PART_TEXTS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:summary|context|recap|gist|excerpts?) (?:of|from) (?:the|this|your|our) (?:current |ongoing )?${TALK}\\b${NOT_OF_SERVICE}`,
  ),
  /\b(?:original|exact|full|raw|verbatim|complete) (?:(?:user|person)(?:'s)? )?(?:prompts?|messages?|input) (?:of|from|by) the (?:user|person)\b|\b(?:user|person)'s (?:original|exact|full|raw|verbatim|complete) (?:prompts?|messages?|input|words)\b/,
]

interface ConversationArgument {
  readonly path: string
  /** It wants a part or a summary, which a tool may need for what the person has asked. */
  readonly isDoubtful: boolean
}

export function conversationIn(inputSchema: Members): ConversationArgument | undefined {
  const all = [...propertiesIn(inputSchema)].filter(({ schema }) => takesText(schema))
  const find = (names: readonly RegExp[], texts: readonly RegExp[]) =>
    all.find(({ name, schema: { description } }) => {
      const plain = wordsOf(name).join(' ')
      const text = typeof description === 'string' ? description.slice(0, 2000).toLowerCase() : ''
      return names.some((one) => one.test(plain)) || texts.some((one) => one.test(text))
    })
  const whole = find(WHOLE_NAMES, WHOLE_TEXTS)
  const found = whole ?? find(PART_NAMES, PART_TEXTS)
  return found && { path: found.path, isDoubtful: whole === undefined }
}
