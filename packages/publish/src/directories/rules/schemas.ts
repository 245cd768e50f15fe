/** Rules of the schemas of tools, and of the size of lists and results. */
import { MAX_RESULT_CHARACTERS as MAX_CHARACTERS } from '../../../../doctor/src/doctor/steps/call.ts'
import {
  isComposed,
  MAX_SCHEMA_BYTES,
  sizeOf,
  sizeText,
} from '../../../../doctor/src/doctor/steps/schema-limits.ts'
import { jsonOf } from '../../../../text/src/json/json-text.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Detected, Rule } from '../finding.ts'
import { authorization } from './connection.ts'
import { ofTools } from './of-tools.ts'

export const schemas: Rule = ofTools(({ name, inputSchema, outputSchema }, add, isMalformed) => {
  const bytes = sizeOf(inputSchema)
  if (bytes > MAX_SCHEMA_BYTES) {
    add('tool-input-too-large', `${quoted(name)} has an inputSchema ${sizeText(bytes)}`)
  }
  if (isComposed(inputSchema)) add('tool-input-composed', `It is ${quoted(name)}`)
  else if (inputSchema.type !== 'object') {
    add('tool-input-not-object', `${quoted(name)} has the inputSchema ${quoted(inputSchema)}`)
  }
  if (outputSchema === undefined) {
    if (!isMalformed('outputSchema')) add('tool-output-missing', `It is ${quoted(name)}`)
  } else if (isComposed(outputSchema)) add('tool-output-composed', `It is ${quoted(name)}`)
  else if (outputSchema.type !== 'object') {
    add('tool-output-not-object', `${quoted(name)} has the outputSchema ${quoted(outputSchema)}`)
  }
})

export const sizes: Rule = ({ surface, results = [] }) => {
  const found: Detected[] = []
  const { tools = [], prompts = [], resources = [], resourceTemplates = [] } = surface ?? {}
  const lists = { tools, prompts, resources, resourceTemplates }
  for (const [list, entries] of Object.entries(lists)) {
    const characters = entries.reduce<number>((sum, entry) => sum + charactersOf(entry), 0)
    if (characters > MAX_CHARACTERS) {
      found.push({ code: 'list-too-large', seen: `The list of ${list} has ${characters}` })
    }
  }
  for (const { tool, characters } of results) {
    if (characters <= MAX_CHARACTERS) continue
    const seen = `That of ${quoted(tool)} has ${characters}`
    found.push({ code: 'result-too-large', tool, seen })
  }
  return found
}

/** A value that is nested too deeply is the fault of its schema. */
const charactersOf = (value: unknown) => jsonOf(value)?.length ?? 0

export const lists: Rule = (input, directory) => {
  const { malformed = [], unread, needsToken = false, unreached } = input
  if (unreached !== undefined) return [{ code: 'server-not-reached', seen: unreached }]
  const found: Detected[] = malformed.map(({ kind, list, name, seen }) => ({
    code: kind === 'list' ? 'list-incomplete' : 'list-entry-invalid',
    ...(list === 'tools' && name !== undefined ? { tool: name } : {}),
    seen,
  }))
  // A client cannot sign in where the authorization is at fault, which is reported by itself.
  const isCaused =
    needsToken && authorization(input, directory).some(({ isDoubtful = false }) => !isDoubtful)
  if (unread !== undefined && !isCaused) found.push({ code: 'lists-not-read', seen: unread })
  return found
}
