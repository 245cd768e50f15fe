/** The rule of the Server Card. */
import { isObject, quoted } from '../../doctor/text.ts'
import type { Rule } from '../finding.ts'
import { cardFault } from './card-members.ts'

export const card: Rule = ({ card: value, isDevelopment = false }) => {
  if (value === undefined) return []
  const seen = isObject(value) ? cardFault(value, isDevelopment) : `It is ${quoted(value)}`
  return seen === undefined ? [] : [{ code: 'card-invalid', seen }]
}
