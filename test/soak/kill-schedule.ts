/** When the server is killed: a seed chooses the times, the machine's speed what they interrupt. */
import type { Moment } from './moments.ts'
import type { Random } from './random.ts'

export interface KillPlan {
  /** How long the server serves at least, in milliseconds. */
  readonly uptimeMs: number
  /** The moment that is then waited for. */
  readonly moment: Moment | undefined
  /** Time between the moment and the kill, in milliseconds. */
  readonly offsetMs: number
}

/** Moments that only clients with authorization reach. */
const OF_AUTHORIZATION: readonly (readonly [number, Moment])[] = [
  [4, 'refresh-sent'],
  [4, 'redemption-sent'],
]

const OF_ALL: readonly (readonly [number, Moment])[] = [
  [3, 'call-sent'],
  [3, 'ask-received'],
  [5, 'answer-sent'],
  [4, 'answer-accepted'],
  [3, 'round-sent'],
  [4, 'resume-sent'],
  [2, 'listen-sent'],
  [4, 'publication-sent'],
  [3, 'termination-sent'],
  [3, 'task-created'],
  [3, 'task-delivered'],
  [2, 'task-cancelled'],
]

export function planKill(random: Random, isProtected: boolean): KillPlan {
  const moments = isProtected ? [...OF_ALL, ...OF_AUTHORIZATION] : OF_ALL
  const isAtMoment = random.chance(0.6)
  const moment = random.pickWeighted(moments)
  return {
    uptimeMs: isAtMoment ? random.between(0, 400) : random.between(0, 900),
    moment: isAtMoment ? moment : undefined,
    // Most faults are at the first steps after a message arrives.
    offsetMs: random.chance(0.5) ? random.between(0, 4) : random.between(0, 30),
  }
}
