/** The sentence of a change: without its subject, which is the place in the value. */
import { printable } from '../../../../text/src/terminal-text.ts'
import type { Obstacle, ObstacleCode } from './obstacle.ts'

/** What a change does, and who sends the values. */
export type Role = 'breaking-input' | 'additive-input' | 'breaking-output' | 'additive-output'

const MAX_CHARACTERS = 200

type Texts = Readonly<Record<Role, string>>

/** `$` is what the sender says, `@` what the receiver says. */
const TEXTS: Readonly<Record<Exclude<ObstacleCode, 'keyword' | 'unknown'>, Texts>> = {
  missing: {
    'breaking-input': 'is required now',
    'additive-input': 'is not required any more',
    'breaking-output': 'is not always present any more',
    'additive-output': 'is always present now',
  },
  removed: {
    'breaking-input': 'is removed',
    'additive-input': 'is new',
    'breaking-output': 'is removed',
    'additive-output': 'is new',
  },
  closed: {
    'breaking-input': 'is not accepted any more',
    'additive-input': 'is accepted now',
    'breaking-output': 'is new, and the committed schema allows no other members',
    'additive-output': 'does not occur any more',
  },
  open: {
    'breaking-input': 'accepts no other members or items any more',
    'additive-input': 'accepts other members or items too',
    'breaking-output': 'may have other members or items, which the committed schema does not allow',
    'additive-output': 'has no other members or items any more',
  },
  type: {
    'breaking-input': 'does not accept $ any more',
    'additive-input': 'accepts $ too',
    'breaking-output': 'may be $ now',
    'additive-output': 'is never $ any more',
  },
  values: {
    'breaking-input': 'does not accept $ any more',
    'additive-input': 'accepts $ too',
    'breaking-output': 'may be $ now',
    'additive-output': 'is never $ any more',
  },
  choices: {
    'breaking-input': 'accepts only @ now',
    'additive-input': 'accepts more than @',
    'breaking-output': 'may be more than @ now',
    'additive-output': 'is one of @ now',
  },
  alternative: {
    'breaking-input': 'has an alternative that is not accepted any more',
    'additive-input': 'accepts one more alternative',
    'breaking-output': 'has an alternative that the committed schema does not allow',
    'additive-output': 'has one alternative less',
  },
}

export function obstacleText(obstacle: Obstacle, role: Role): string {
  const text = printable(plainText(obstacle, role), MAX_CHARACTERS)
  if (obstacle.isUndecided !== true || role.startsWith('additive')) return text
  return obstacle.code === 'unknown' ? text : `${text}: cannot be compared with certainty`
}

function plainText({ code, keyword = '', sent, received }: Obstacle, role: Role): string {
  if (code === 'unknown') {
    const what = keyword === '' ? (sent ?? 'it') : `its "${keyword}" is different`
    return role.startsWith('breaking') ? `cannot be compared: ${what}` : `has another "${keyword}"`
  }
  if (code !== 'keyword') {
    return TEXTS[code][role].replace(/[$@]/, (side) => (side === '$' ? sent : received) ?? '')
  }
  // The sender of arguments is the committed contract, that of results the new one.
  const isSenderOld = role === 'breaking-input' || role === 'additive-output'
  const [before, after] = isSenderOld ? [sent, received] : [received, sent]
  if (before === undefined) return `has ${keyword} ${after ?? ''} now`.replace('  ', ' ')
  return after === undefined
    ? `has no ${keyword} ${before} any more`
    : `changes ${keyword} from ${before} to ${after}`
}
