/** Rules of the hints of tools: present, consistent with each other, and with the verb of the name. */
import type { ToolAnnotations } from '../../../../../src/protocol/primitives.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { printableJson } from '../../../../text/src/terminal-text.ts'
import type { Rule } from '../finding.ts'
import type { DirectoryName } from '../names.ts'
import { ofTools } from './of-tools.ts'
import { type Verb, verbOf } from './verbs.ts'

const HINTS = ['readOnlyHint', 'destructiveHint', 'openWorldHint'] as const

export const hints: Rule = ofTools((tool, add, isMalformed, directory) => {
  const { name, annotations = {} } = tool
  if (isMalformed('annotations')) return
  const missing = missingIn(annotations, directory)
  if (missing.length > 0) {
    add('tool-hints-missing', `${quoted(name)} has no ${missing.join(', ')}`)
  }
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations
  if (readOnlyHint === true && destructiveHint === true) {
    add('tool-hints-contradict', `${quoted(name)} has ${shown(annotations)}`)
    return
  }
  if (readOnlyHint === true && idempotentHint === false) {
    add('tool-hint-idempotent', `${quoted(name)} has ${shown(annotations)}`)
  }
  const verb = verbOf(name)
  const against = verb && againstVerb(verb, annotations, directory)
  if (against !== undefined) {
    const code = against === 'wrong' ? 'tool-hint-against-name' : 'tool-hint-doubtful'
    add(code, `${quoted(name)} has ${shown(annotations)}`)
  }
})

/**
 * OpenAI wants three explicit hints. Claude wants the one that applies: `readOnlyHint: true`, or `destructiveHint` of a
 * tool that changes something.
 */
function missingIn(annotations: ToolAnnotations, directory: DirectoryName): readonly string[] {
  if (directory === 'openai-plugins') {
    return HINTS.filter((hint) => typeof annotations[hint] !== 'boolean')
  }
  const { readOnlyHint, destructiveHint } = annotations
  if (readOnlyHint === true || typeof destructiveHint === 'boolean') return []
  return readOnlyHint === undefined ? ['readOnlyHint', 'destructiveHint'] : ['destructiveHint']
}

type Judgement = 'wrong' | 'doubtful' | undefined

function againstVerb(
  { kind }: Verb,
  { readOnlyHint, destructiveHint, openWorldHint }: ToolAnnotations,
  directory: DirectoryName,
): Judgement {
  switch (kind) {
    case 'deletes':
      return readOnlyHint === true || destructiveHint === false ? 'wrong' : undefined
    case 'removes':
      if (readOnlyHint === true) return 'wrong'
      return destructiveHint === false ? 'doubtful' : undefined
    case 'reads':
      if (destructiveHint === true) return 'wrong'
      // A tool that reads may also write a log, or start a job.
      return readOnlyHint === false ? 'doubtful' : undefined
    case 'writes':
      // What it creates may be its result alone, such as a diagram.
      return readOnlyHint === true ? 'doubtful' : undefined
    case 'publishes': {
      if (readOnlyHint === true) return 'doubtful'
      return directory === 'openai-plugins' && openWorldHint === false ? 'doubtful' : undefined
    }
  }
}

/** The hints of a tool, without members of other names. */
function shown(annotations: ToolAnnotations): string {
  const known = [...HINTS, 'idempotentHint' as const].map((hint) => [hint, annotations[hint]])
  return printableJson(Object.fromEntries(known.filter(([, value]) => value !== undefined)))
}
