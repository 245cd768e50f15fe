/** The text of a comparison, and of a contract that was written. */
import { quoted } from '../../../text/src/quoted.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { differenceText } from './compare/compare-contracts.ts'
import { DIFFERENCE_KINDS, type Difference } from './compare/difference.ts'
import { deprecationOf } from './compare/tool.ts'
import { type Contract, LIST_NAMES, LISTS, nameOf, TOKENIZER } from './contract.ts'

/** A running server may have written any text. */
const MAX_CHARACTERS = 600

/** The differences by kind, the worst first; empty without any. */
export function differencesText(differences: readonly Difference[]): string {
  const servers = new Set(differences.map(({ server }) => server))
  const blocks = DIFFERENCE_KINDS.flatMap((kind) => {
    const found = differences.filter((one) => one.kind === kind)
    const lines = found.map((one) => {
      const server = servers.size > 1 ? `${printable(one.server)}, ` : ''
      return `  ${server}${printable(differenceText(one), MAX_CHARACTERS)}\n`
    })
    return lines.length === 0 ? [] : [`${kind} (${lines.length})\n${lines.join('')}`]
  })
  return blocks.length === 0 ? '' : `${blocks.join('\n')}\n`
}

const numbers = new Intl.NumberFormat('en')

/** As `3 tools, 1 prompt; 1,204 bytes, 311 tokens (…)`. */
export function sizeText({ servers }: Contract): string {
  const counts = LIST_NAMES.flatMap((list) => {
    const count = servers.reduce((sum, server) => sum + server[list].length, 0)
    return count === 0 ? [] : [`${count} ${LISTS[list].kind}${count === 1 ? '' : 's'}`]
  })
  const sum = (member: 'bytes' | 'tokens') =>
    numbers.format(servers.reduce((all, server) => all + server[member], 0))
  const what = counts.length === 0 ? 'nothing but its name' : counts.join(', ')
  return `${what}; ${sum('bytes')} bytes, ${sum('tokens')} tokens (${TOKENIZER})`
}

/** The deprecated tools that may be removed. They go on answering until their author removes them. */
export function overdueTools({ servers }: Contract, today: string): readonly string[] {
  return servers.flatMap((server) =>
    server.tools.flatMap(({ definition }) => {
      const deprecation = deprecationOf(definition)
      return deprecation !== undefined && deprecation.until < today
        ? [
            `${printable(nameOf(server))}: tool ${quoted(definition.name)} was announced to be removed after ${deprecation.until}. It still answers`,
          ]
        : []
    }),
  )
}
