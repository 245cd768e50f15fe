/** Rules of the names and titles of tools. */
import { quoted } from '../../doctor/text.ts'
import type { Detected, Rule } from '../finding.ts'
import { ofTools } from './of-tools.ts'

const MAX_CHARACTERS = 64

export const names: Rule = ofTools((tool, index, all) => {
  const { name, title, annotations, description } = tool
  const found: Detected[] = []
  const add = (code: Detected['code'], seen: string) => found.push({ code, tool: name, seen })
  if (isBlank(title) && isBlank(annotations?.title)) {
    add('tool-title-missing', `It is ${quoted(name)}`)
  }
  if (isBlank(description)) add('tool-description-missing', `It is ${quoted(name)}`)
  if (name.length > MAX_CHARACTERS) {
    add('tool-name-too-long', `${quoted(name)} has ${name.length}`)
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) add('tool-name-characters', `It is ${quoted(name)}`)
  // One finding for a name, however often it comes.
  const isSecond = all.findIndex((other) => other.name === name) !== index
  const isThird = all.slice(0, index).filter((other) => other.name === name).length > 1
  if (isSecond && !isThird) add('tool-name-repeated', `It is ${quoted(name)}`)
  return found
})

const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''
