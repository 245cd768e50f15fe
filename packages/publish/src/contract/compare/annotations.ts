/**
 * The hints of a tool. Hosts decide by them whether a person is asked before a call, and directories accept a server for
 * what they say. So a hint that becomes weaker lets calls that ran without a question have effects that they had not.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
 */
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import { additive, breaking, type Change, textual } from './difference.ts'

interface Hint {
  readonly name: string
  /** Without the hint. */
  readonly default: boolean
  /** The value that promises less effects. */
  readonly harmless: boolean
  readonly consequence: string
}

const HINTS: readonly Hint[] = [
  {
    name: 'readOnlyHint',
    default: false,
    harmless: true,
    consequence:
      'hosts run such a tool without asking, and directories have accepted it as one that only reads',
  },
  {
    name: 'destructiveHint',
    default: true,
    harmless: false,
    consequence: 'hosts and directories have accepted it as one that destroys nothing',
  },
  {
    name: 'idempotentHint',
    default: false,
    harmless: true,
    consequence: 'clients repeat such a call after a lost answer',
  },
  {
    name: 'openWorldHint',
    default: true,
    harmless: false,
    consequence: 'hosts and directories have accepted it as one that reaches no other system',
  },
]

/** They have no meaning for a tool that only reads. */
const OF_WRITERS = ['destructiveHint', 'idempotentHint']

export function annotationChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  const reads = (annotations: JsonObject) => annotations.readOnlyHint === true
  const changes = HINTS.flatMap((hint): readonly Change[] => {
    const { name, default: absent, harmless, consequence } = hint
    if (before[name] === after[name]) return []
    const at = `annotations.${name}`
    const [old, now] = [before[name] ?? absent, after[name] ?? absent]
    const isMeaningless = OF_WRITERS.includes(name) && (reads(before) || reads(after))
    if (old === now || isMeaningless)
      return [textual(`is ${String(after[name] ?? 'absent')} now`, at)]
    return now === harmless
      ? [additive(`is ${now} now`, at)]
      : [breaking(`is ${String(now)} now: ${consequence}`, at)]
  })
  const isTitle = before.title !== after.title
  return isTitle ? [...changes, textual('is another', 'annotations.title')] : changes
}
