/** The rule of the Server Card. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Rule } from '../finding.ts'
import { cardFault } from './card-members.ts'

export const card: Rule = ({ card: value, isDevelopment = false }) => {
  if (value === undefined) return []
  const seen = isJsonObject(value) ? cardFault(value, isDevelopment) : `It is ${quoted(value)}`
  return seen === undefined ? [] : [{ code: 'card-invalid', seen }]
}
