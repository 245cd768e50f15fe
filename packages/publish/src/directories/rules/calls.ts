/** Rules of how a server answers: every call with valid input, and every client. */
import { firstOf, quoted } from '../../../../text/src/quoted.ts'
import type { Rule } from '../finding.ts'

export const calls: Rule = ({ results = [] }) =>
  results.flatMap(({ tool, failure, errorText }) => {
    if (failure !== undefined) return { code: 'tool-call-failed', tool, seen: failure }
    if (errorText === undefined || !isBare(errorText)) return []
    const seen = `A call of ${quoted(tool)} has a result with isError and the text ${quoted(errorText)}`
    return { code: 'tool-call-failed', tool, seen }
  })

/** The texts of an error that say nothing of what to change, after a status and the word for an error. */
const BARE =
  /^(?:internal(?: server)? error|bad request|bad gateway|service unavailable|something went wrong|an? (?:unknown|unexpected|internal) error(?: (?:has )?occurred)?|(?:unknown|unexpected) error|undefined|null|\[object \w+\]|fail(?:ed|ure)|(?:request|fetch) failed(?: with status(?: code)? \d+)?|)$/

/** What an error of a program has as its message. */
const OF_PROGRAM =
  /^(?:(?:type|reference|syntax|range)error\b|cannot read propert|traceback )|^[\w.]+ is not (?:a function|defined)$|\n\s+at .+:\d+:\d+/i

function isBare(text: string): boolean {
  const start = text.slice(0, 2000).trim()
  const words = start
    .toLowerCase()
    .replace(/^(?:(?:error|http|status|code|[45]\d\d)\b[\s:,-]*)+/, '')
    .replace(/[\s.!]+$/, '')
  return BARE.test(words) || OF_PROGRAM.test(start)
}

export const behaviour: Rule = ({ otherClients = [] }) =>
  otherClients.flatMap(({ name, tools = [], call }) => {
    const code = 'behaviour-depends-on-client'
    const listed = `To ${quoted(name)}, the lists differ in ${firstOf(tools.map(quoted))}`
    return [
      ...(tools.length === 0 ? [] : [{ code, seen: listed } as const]),
      ...(call === undefined
        ? []
        : [{ code, tool: call.tool, seen: `To ${quoted(name)}, ${call.seen}` } as const]),
    ]
  })
