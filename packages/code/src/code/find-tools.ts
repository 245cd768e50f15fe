/** The functions `find` and `describe` of the code, for the tools that its caller sees. */

import { excerpt } from '../../../../src/protocol/protocol-error.ts'
import { rankTools } from '../ranking/rank-tools.ts'
import { declarationOf, signatureOf } from './declarations.ts'
import type { ModuleTool, ToolModule } from './module-names.ts'

/** Tools of one answer. */
const MAX_FOUND = 20

/** The tools that are the best for some words; without words, the first ones. */
export function findTools(module: ToolModule, words: unknown): object {
  const text = typeof words === 'string' ? words : ''
  const found = text.trim() === '' ? [...module.values()] : rankedTools(module, text)
  return {
    tools: found.slice(0, MAX_FOUND).map((each) => ({
      signature: signatureOf(each),
      description: firstSentence(each),
    })),
    found: found.length,
  }
}

function rankedTools(module: ToolModule, text: string): ModuleTool[] {
  const tools = [...module.values()].map(({ tool }) => tool)
  return rankTools(tools, text).flatMap(({ info }) => module.get(info.name) ?? [])
}

/** The declarations of tools, by identifier or name. */
export function describeTools(module: ToolModule, names: unknown): string {
  const wanted = (Array.isArray(names) ? names : [names]).slice(0, MAX_FOUND)
  return wanted
    .filter((name) => typeof name === 'string')
    .map((name) => {
      const found =
        module.get(name) ?? [...module.values()].find(({ identifier }) => identifier === name)
      return found === undefined
        ? `// There is no tool ${JSON.stringify(excerpt(name))}. Use find("words").`
        : declarationOf(found)
    })
    .join('\n')
}

export function firstSentence({ tool: { info } }: ModuleTool): string {
  const text = (info.description ?? info.title ?? '').replace(/\s+/g, ' ').trim()
  const end = text.search(/[.!?](?:\s|$)/)
  return text.slice(0, Math.min(end === -1 ? text.length : end + 1, 160))
}
