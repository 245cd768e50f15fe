/** The functions `find` and `describe` of the code, for the tools that its caller sees. */
import { declarationOf, signatureOf } from './declarations.ts'
import type { ModuleTool, ToolModule } from './module-names.ts'

/** Tools of one answer. */
const MAX_FOUND = 20

const NAME_WEIGHT = 3

/** The tools whose names and descriptions have the words, those with most of them first; without words, the first ones. */
export function findTools(module: ToolModule, words: unknown): object {
  const wanted = [...new Set(wordsOf(typeof words === 'string' ? words : ''))]
  const scored = [...module.values()].map((each) => ({ each, score: scoreOf(each, wanted) }))
  const found = wanted.length === 0 ? scored : scored.filter(({ score }) => score > 0)
  const best = found.toSorted((a, b) => b.score - a.score)
  return {
    tools: best.slice(0, MAX_FOUND).map(({ each }) => ({
      signature: signatureOf(each),
      description: firstSentence(each),
    })),
    found: found.length,
  }
}

/** The declarations of tools, by identifier or name. */
export function describeTools(module: ToolModule, names: unknown): string {
  const wanted = (Array.isArray(names) ? names : [names]).flatMap((name) =>
    typeof name === 'string' ? [name] : [],
  )
  return wanted
    .slice(0, MAX_FOUND)
    .map((name) => {
      const found =
        module.get(name) ?? [...module.values()].find(({ identifier }) => identifier === name)
      return found === undefined
        ? `// There is no tool ${JSON.stringify(name)}`
        : declarationOf(found)
    })
    .join('\n')
}

export function firstSentence({ tool: { info } }: ModuleTool): string {
  const text = (info.description ?? info.title ?? '').replace(/\s+/g, ' ').trim()
  const end = text.search(/[.!?](?:\s|$)/)
  return text.slice(0, Math.min(end === -1 ? text.length : end + 1, 160))
}

function scoreOf({ tool: { info } }: ModuleTool, wanted: readonly string[]): number {
  const name = new Set(wordsOf(`${info.name} ${info.title ?? ''}`))
  const text = new Set(wordsOf(info.description ?? ''))
  return wanted.reduce(
    (sum, word) => sum + (name.has(word) ? NAME_WEIGHT : 0) + (text.has(word) ? 1 : 0),
    0,
  )
}

/** The words of a text in lower case, those of camel case apart, without the plural. */
function wordsOf(text: string): string[] {
  const apart = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return apart.split(/[^\p{L}\p{N}]+/u).flatMap((word) => (word === '' ? [] : [singular(word)]))
}

const singular = (word: string) =>
  word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
