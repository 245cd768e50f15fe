/** Rules of the names and titles of tools. */
import { quoted } from '../../../../text/src/quoted.ts'
import { repeatedIn } from '../../../../text/src/repeated-in.ts'
import type { Rule } from '../finding.ts'
import { ofTools } from './of-tools.ts'

const MAX_CHARACTERS = 64

export const names: Rule = ofTools((tool, add, isMalformed) => {
  const { name, title, annotations, description } = tool
  const isUntitled = isBlank(title) && isBlank(annotations?.title)
  if (isUntitled && !isMalformed('title') && !isMalformed('annotations')) {
    add('tool-title-missing', `It is ${quoted(name)}`)
  }
  if (isBlank(description) && !isMalformed('description'))
    add('tool-description-missing', `It is ${quoted(name)}`)
  if (name.length > MAX_CHARACTERS) {
    add('tool-name-too-long', `${quoted(name)} has ${name.length}`)
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) add('tool-name-characters', `It is ${quoted(name)}`)
})

/** One finding for a name, however often it comes. The pages of an endless list repeat each other. */
export const repeatedNames: Rule = ({ surface, malformed = [] }) => {
  if (malformed.some(({ kind, list }) => kind === 'list' && list === 'tools')) return []
  const repeated = repeatedIn((surface?.tools ?? []).map(({ name }) => name))
  return repeated.map((name) => ({
    code: 'tool-name-repeated',
    tool: name,
    seen: `It is ${quoted(name)}`,
  }))
}

const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''
