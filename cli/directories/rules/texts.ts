/** Rules of the texts that the model reads. One finding for a place and a fault. */
import type { DirectoryCode } from '../faults.ts'
import type { Detected, Rule } from '../finding.ts'
import { type ModelText, textsOf } from '../texts.ts'
import { encodedPartOf } from './encoded-text.ts'
import { hiddenPartOf } from './hidden-text.ts'
import { instructionIn, promotionIn } from './instructing-text.ts'
import { markupIn } from './markup.ts'

/** The offending part of a text; undefined for a text without the fault. */
type Check = (text: ModelText, toolNames: ReadonlySet<string>) => string | undefined

const CHECKS: Readonly<Partial<Record<DirectoryCode, Check>>> = {
  'text-hidden': ({ text }) => hiddenPartOf(text),
  'text-encoded': ({ text }) => encodedPartOf(text),
  'text-markup': ({ text }) => markupIn(text),
  'text-instructs-model': instructionIn,
  'text-promotes': ({ text }) => promotionIn(text),
}

export const texts: Rule = ({ surface }) => {
  if (surface === undefined) return []
  const toolNames = new Set(surface.tools.map(({ name }) => name))
  const found = new Map<string, Detected>()
  for (const text of textsOf(surface)) {
    for (const [code, check] of Object.entries(CHECKS)) {
      const part = check(text, toolNames)
      if (part === undefined) continue
      const key = JSON.stringify([code, text.tool ?? text.where])
      const { tool, where } = text
      const seen = `${where} has ${part}`
      // The first place of a tool is named; its others are corrected with it.
      if (!found.has(key)) {
        found.set(key, {
          code: code as DirectoryCode,
          ...(tool === undefined ? {} : { tool }),
          seen,
        })
      }
    }
  }
  return [...found.values()]
}
