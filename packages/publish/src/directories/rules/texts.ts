/** Rules of the texts that the model reads. One finding for a tool, or for another place, and a fault. */
import type { DirectoryCode } from '../faults.ts'
import type { Detected, Rule } from '../finding.ts'
import { type ModelText, textsOf } from '../texts.ts'
import { encodedPartOf } from './encoded-text.ts'
import { hiddenPartOf } from './hidden-text.ts'
import { instructionIn, promotionIn } from './instructing-text.ts'
import { markupIn } from './markup.ts'

/** The offending part of a text; undefined for a text without the fault. */
type Check = (text: ModelText, toolNames: ReadonlySet<string>) => string | undefined

/** The first one that fails is the cause: what a hidden or encoded part says is removed with it. */
const CHECKS: readonly (readonly [code: DirectoryCode, check: Check])[] = [
  ['text-hidden', ({ text }) => hiddenPartOf(text)],
  ['text-encoded', ({ text }) => encodedPartOf(text)],
  ['text-markup', ({ text }) => markupIn(text)],
  ['text-instructs-model', instructionIn],
  ['text-promotes', ({ text }) => promotionIn(text)],
]

const OF_DATA: readonly DirectoryCode[] = ['text-hidden', 'text-instructs-model']

export const texts: Rule = ({ surface }) => {
  if (surface === undefined) return []
  const toolNames = new Set(surface.tools.map(({ name }) => name))
  const found = new Map<string, Detected>()
  for (const text of textsOf(surface)) {
    const fault = faultIn(text, toolNames)
    if (fault === undefined) continue
    const { tool, where } = text
    const key = JSON.stringify([fault.code, tool ?? where])
    // The first place of a tool is named; its others are corrected with it.
    if (found.has(key)) continue
    const seen = `${where} has ${fault.part}`
    found.set(key, { code: fault.code, tool, seen })
  }
  return [...found.values()]
}

function faultIn(text: ModelText, toolNames: ReadonlySet<string>) {
  for (const [code, check] of CHECKS) {
    if (text.isData && !OF_DATA.includes(code)) continue
    const part = check(text, toolNames)
    if (part !== undefined) return { code, part }
  }
  return undefined
}
