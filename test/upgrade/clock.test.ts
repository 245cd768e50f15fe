/** The shifted clock, with which recorded state is opened long after it was recorded. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundleWorker } from '../../scripts/support/bundle.ts'
import { CONFIG_PATHS } from '../../scripts/support/fixture-servers.ts'
import { brief } from '../faults/sessions/message.ts'
import { ASKING_STATES } from './states/asking-states.ts'
import { openSession } from './states/held-session.ts'
import { MODERN_STATES } from './states/modern-states.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { startUpgradeServer, type UpgradeServer } from './upgrade-server.ts'

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

async function start(
  state: string,
  startsAt: number,
  vars: Readonly<Record<string, string>> = {},
): Promise<UpgradeServer> {
  const versions = { worker: await bundleWorker(CONFIG_PATHS.fixture) }
  const server = await startUpgradeServer({ worker: 'fixture', state, versions, startsAt, vars })
  onTestFinished(() => server.stop())
  return server
}

describe('the shifted clock of a server', () => {
  it('continues a year-old state, which has expired on the real clock', async () => {
    const kinds = [
      ASKING_STATES['pending question, 2025-11-25'],
      MODERN_STATES['request state'],
      MODERN_STATES['handle of ctx.state'],
    ]
    const state = temporaryDirectory(onTestFinished)
    const early = await start(state, Date.now() - YEAR_MS)
    const held = [1, 2].map((copy) =>
      kinds.map((kind, index) => kind.leave(early, `${copy}-${index}`)),
    )
    const [one = [], other = []] = await Promise.all(held.map((copy) => Promise.all(copy)))
    const continued = await start(state, await early.kill())
    for (const [index, { resume }] of kinds.entries()) await resume(continued, one[index], expect)
    await continued.kill()
    const late = await start(state, Date.now())
    for (const [index, { resume }] of kinds.entries()) {
      await expect(resume(late, other[index], expect)).rejects.toThrow()
    }
  })

  it('sets alarms of the platform, which are of the real time', async () => {
    const state = temporaryDirectory(onTestFinished)
    const server = await start(state, Date.now() + YEAR_MS, { SHORT: '1' })
    const { session } = await openSession(server)
    const events = await session.stream('ask_count', { name: 'expiring' })
    // The alarm ends the call, because its question expires.
    const [, ask, withdrawn, result] = await events.rest(30_000)
    expect([ask, withdrawn].map((message) => message && brief(message))).toEqual([
      'ask Count expiring?',
      'cancelled',
    ])
    expect(result?.result?.isError).toBe(true)
  })
})
