/** The keyword `format`, which Standard Schemas check by rules of their own. */
import type { JsonSchema } from '../../protocol/content.ts'
import { type Fault, quote } from './assertions.ts'
import { FORMATS } from './formats.ts'

export function checkFormat({ format }: JsonSchema, value: string): Fault {
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format)) return undefined
  return FORMATS[format]?.(value) === false ? `must have the format ${quote(format)}` : undefined
}
