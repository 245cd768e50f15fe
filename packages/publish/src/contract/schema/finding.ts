/** One difference of two schemas at a place, and its sentence. */
import { printable } from '../../../../text/src/terminal-text.ts'

/** `input`: clients send the values. `output`: clients read them. */
export type Direction = 'input' | 'output'

/**
 * What a change does to the values that are allowed. `incompatible`: it breaks senders and readers, or may.
 * `compatible`: it breaks neither.
 */
export type Effect = 'narrower' | 'wider' | 'incompatible' | 'compatible'

/** For arguments and for results. `$` is the detail. */
type Sentences = readonly [input: string, output: string]

const SENTENCES = {
  required: {
    narrower: ['is required now', 'is always present now'],
    wider: ['is not required any more', 'is not always present any more'],
  },
  removed: { incompatible: ['is removed', 'is removed'] },
  added: {
    compatible: ['is new', 'is new'],
    wider: ['is new', 'is new, and the committed schema allows no other members'],
  },
  others: {
    narrower: ['accepts no other members any more', 'has no other members any more'],
    wider: [
      'accepts other members too',
      'may have other members, which the committed schema does not allow',
    ],
  },
  values: {
    narrower: ['does not accept $ any more', 'is never $ any more'],
    wider: ['accepts $ too', 'may be $ now'],
  },
  choices: {
    narrower: ['accepts only $ now', 'is one of $ now'],
    wider: ['accepts more than $', 'may be more than $ now'],
  },
  alternative: {
    narrower: ['has an alternative that is not accepted any more', 'has one alternative less'],
    wider: [
      'accepts one more alternative',
      'has an alternative that the committed schema does not allow',
    ],
  },
  keyword: { narrower: ['$', '$'], wider: ['$', '$'], incompatible: ['$', '$'] },
} as const satisfies Record<string, Partial<Record<Effect, Sentences>>>

export interface Finding {
  readonly code: keyof typeof SENTENCES
  readonly effect: Effect
  /** The place in the value: `filter.tags[]`. Empty for the value itself. */
  readonly at: string
  readonly detail: string
}

export const finding = (
  code: Finding['code'],
  effect: Effect,
  at: string,
  detail = '',
): Finding => ({ code, effect, at, detail })

/** A change that no rule compares. It is breaking. */
export const notCompared = (at: string, keyword: string): Finding =>
  finding('keyword', 'incompatible', at, `cannot be compared: its "${keyword}" is different`)

const MAX_CHARACTERS = 200

/** A sentence without its subject. */
export function findingText({ code, effect, detail }: Finding, direction: Direction): string {
  const sentences: Partial<Record<Effect, Sentences>> = SENTENCES[code]
  const sentence = sentences[effect]?.[direction === 'input' ? 0 : 1] ?? ''
  return printable(
    sentence.replace('$', () => detail),
    MAX_CHARACTERS,
  )
}

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/

export function memberAt(at: string, name: string): string {
  const step = PLAIN_NAME.test(name) || name === '*' ? name : JSON.stringify(name)
  return at === '' ? step : `${at}.${step}`
}
