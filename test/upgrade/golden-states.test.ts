/** The present version opens the golden state of every recorded release, and goes on. */
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from '../../scripts/support/bundle.ts'
import { CONFIG_PATHS } from '../../scripts/support/fixture-servers.ts'
import { readRelease } from '../../scripts/support/release.ts'
import { DEFAULT_ASKS_OPTIONS } from '../../src/features/asks/asks-options.ts'
import { POLL } from '../faults/sessions/bounded.ts'
import { brief } from '../faults/sessions/message.ts'
import { readCount } from './calls.ts'
import { DEPLOYMENTS, type Deployment, type DeploymentName } from './deployments.ts'
import { latestRelease, releaseDirectories, restore } from './golden-state.ts'
import type { Held } from './leave-states.ts'
import type { HeldCall } from './states/asking-states.ts'
import { reopenSession } from './states/held-session.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { describeTurn, restoredStorage, startOn } from './turns.ts'
import { startUpgradeServer, type UpgradeServer } from './upgrade-server.ts'

it('a release is recorded', () => {
  expect(latestRelease()).toBeTypeOf('string')
})

describe.each(releaseDirectories().map((path) => ({ version: basename(path), path })))(
  'the golden state of release $version',
  ({ path }) => {
    const release = readRelease(path)
    const { deployments } = release

    describe('opened after its questions have expired', () => {
      const state = temporaryDirectory(afterAll)
      let server: UpgradeServer
      let held: Held

      beforeAll(async () => {
        held = restore(release, 'fixture', state)
        const recordedAt = Date.parse(deployments.fixture?.recordedAt ?? '')
        server = await startUpgradeServer({
          worker: 'fixture',
          state,
          versions: { worker: await bundleWorker(CONFIG_PATHS.fixture) },
          startsAt: recordedAt + DEFAULT_ASKS_OPTIONS.answerTimeoutMs + 1000,
        })
      })
      afterAll(() => server.stop())

      it('repeats an idempotent call at an alarm when its client is away', async () => {
        await expect.poll(() => readCount(server, 'reads-only-runs'), POLL).toBe(1)
      })

      it('ends a call at an alarm when its question has expired', async () => {
        const call = held['pending question, 2025-11-25'] as HeldCall
        const messages = await reopenSession(server, call.session).rest(call.lastEventId)
        expect(messages.map(brief)).toEqual([
          expect.stringMatching(/^ask Count /),
          'cancelled',
          expect.stringMatching(/^failed 1 The question was not answered in time/),
        ])
      })
    })

    it.each(Object.entries(deployments))(
      'has only kinds that are still tested: %s',
      (name, record) => {
        const deployment: Deployment | undefined = DEPLOYMENTS[name as keyof typeof DEPLOYMENTS]
        expect(Object.keys(deployment?.states ?? {})).toEqual(
          expect.arrayContaining(Object.keys(record.held)),
        )
      },
    )

    const names = Object.keys(DEPLOYMENTS) as DeploymentName[]
    describe.each(names.filter((name) => name in deployments))('opened by the %s server', (name) =>
      describeTurn(restoredStorage(path, name), {
        isLast: true,
        // A stored document is valid for a week.
        start: async (storage) =>
          startOn(storage, { worker: await storage.present() }, { hasDocument: false }),
      }),
    )
  },
)
