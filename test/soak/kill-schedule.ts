/** When the server is killed: a seed chooses the times, the machine's speed what they interrupt. */
import { delay } from '../faults/sessions/delay.ts'
import type { KilledServer } from './killed-server.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Moment } from './moments.ts'
import type { Random } from './random.ts'

/** Duration of a restart on a quiet machine, in milliseconds. */
const QUIET_RESTART_MS = 600

/** On a busy machine, a server serves at most this many times as long between two kills. */
const MAX_PACE = 5

/** How long a moment is waited for, in milliseconds. It may be that no client reaches it. */
const MOMENT_TIMEOUT_MS = 2000

interface KillPlan {
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
  [4, 'resume-sent'],
  [2, 'listen-sent'],
  [4, 'publication-sent'],
  [3, 'termination-sent'],
  [3, 'task-created'],
  [3, 'task-delivered'],
  [2, 'task-cancelled'],
]

function planKill(random: Random, isProtected: boolean): KillPlan {
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

/** Kills the server at a time that the generator chooses, and starts it again. */
export async function killOnce(
  server: KilledServer,
  random: Random,
  ledger: Ledger,
): Promise<void> {
  const { uptimeMs, moment, offsetMs } = planKill(random, server.isProtected)
  await delay(uptimeMs * paceOf(server))
  if (moment !== undefined) {
    const reached = server.moments.next(moment).then(() => true)
    const isReached = await Promise.race([reached, delay(MOMENT_TIMEOUT_MS)])
    ledger.count(isReached ? `kill after: ${moment}` : 'kill at any time')
  } else {
    ledger.count('kill at any time')
  }
  await delay(offsetMs)
  await server.killAndRestart()
}

/** How much slower than a quiet machine this one is, so that clients reach something between kills. */
function paceOf({ restartsMs }: KilledServer): number {
  const restartMs = restartsMs.at(-1) ?? QUIET_RESTART_MS
  return Math.min(MAX_PACE, Math.max(1, restartMs / QUIET_RESTART_MS))
}
