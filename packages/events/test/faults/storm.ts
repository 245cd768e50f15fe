/**
 * Subscriptions whose server is killed at each moment between an event and its delivery. Every event that was
 * acknowledged is delivered, repetitions have its id, and nothing is delivered after the end.
 */
import { Random } from '../../../../test/soak/random.ts'
import { ArmedServer } from './killed-server.ts'
import { Life } from './life.ts'
import { POINTS, type Point } from './points.ts'

export interface StormOptions {
  readonly seed: number
  /** Kills at each point. */
  readonly times: number
  readonly points?: readonly Point[]
  /** The number of the first life, to go on after an interruption. */
  readonly from?: number
  /** Receives a line of text after each life. */
  readonly onProgress?: (line: string) => void
}

export interface StormReport {
  readonly seed: number
  readonly seconds: number
  readonly lives: number
  readonly kills: number
  /** The points at which no kill happened: the life passed without this moment. */
  readonly missed: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

export async function runEventStorm({
  seed,
  times,
  points = POINTS,
  from = 0,
  onProgress = () => undefined,
}: StormOptions): Promise<StormReport> {
  const startedAt = performance.now()
  const secondsSince = () => Math.round((performance.now() - startedAt) / 1000)
  const random = new Random(seed)
  const violations: string[] = []
  const missed: Record<string, number> = {}
  const server = await ArmedServer.start()
  const lives = Array.from({ length: times }, () => points).flat()
  try {
    for (const [index, point] of lives.entries()) {
      if (index < from) continue
      const before = server.kills
      const name = `life-${seed}-${index}`
      server.arm(point)
      const life = new Life(server, random.fork(name), name)
      const problems = await life.run().catch((error) => [String(error?.stack ?? error)])
      if (server.kills === before) missed[point] = (missed[point] ?? 0) + 1
      violations.push(...problems.map((problem) => `${point}, life ${index}: ${problem}`))
      onProgress(
        `${secondsSince()} s: life ${index} of ${lives.length}, ${point}, ${problems.length} violations ${problems.join(' | ')}`,
      )
    }
  } finally {
    violations.push(...server.violations)
    await server.stop()
  }
  const { kills } = server
  return { seed, seconds: secondsSince(), lives: lives.length - from, kills, missed, violations }
}
