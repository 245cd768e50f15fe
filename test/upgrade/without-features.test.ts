/**
 * Features that are taken away from a deployed app and added again: the golden states of all releases, opened by
 * an app that lacks the feature, by one that has it again, and by the release after that.
 */
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from '../../scripts/support/bundle.ts'
import { CONFIG_PATHS } from '../../scripts/support/fixture-servers.ts'
import { readManifest, readReleasedWorker } from '../../scripts/support/release.ts'
import { delay } from '../faults/sessions/delay.ts'
import { callTool } from './calls.ts'
import { DEPLOYMENTS } from './deployments.ts'
import { releaseDirectories, restore } from './golden-state.ts'
import { type Held, leaveStates } from './leave-states.ts'
import type { OpenStates } from './open-state.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { startUpgradeServer, type UpgradeServer } from './upgrade-server.ts'

/** Alarms that are due are deferred in this time. */
const ABSENT_MS = 1500

/** The first delay of an alarm of an object whose feature is absent. */
const DEFERRED_MS = 60_000

const ABSENT = [
  { title: 'tasks()', without: 'tasks' },
  { title: 'sessions()', without: 'sessions' },
  {
    title: 'every feature with an object',
    without: 'keyring asks sessions changes tasks state files',
  },
] as const

describe.each(releaseDirectories().map((path) => ({ version: basename(path), path })))(
  'the state of release $version',
  ({ path }) => {
    describe.each(ABSENT)('in an app that lost $title', ({ without }) => {
      const record = readManifest(path).deployments.fixture
      const states: OpenStates = Object.fromEntries(
        Object.entries(DEPLOYMENTS.fixture.states).filter(([kind]) =>
          record?.states.includes(kind),
        ),
      )
      const state = temporaryDirectory(afterAll)
      let held: Held
      let at = Date.parse(record?.recordedAt ?? '')

      beforeAll(() => {
        held = restore(path, 'fixture', state)
      })

      /** Opens the storage without the feature until the alarms that are due were deferred. */
      async function openWithout() {
        const server = await startUpgradeServer({
          worker: 'fixture',
          state,
          versions: { worker: await bundleWorker(CONFIG_PATHS.fixture) },
          startsAt: at,
          vars: { WITHOUT: without },
        })
        const answer = await callTool(server, 'echo', { text: 'served' })
        await delay(ABSENT_MS)
        at = (await server.kill()) + DEFERRED_MS
        return { answer, log: server.log() }
      }

      const servesCalls = async () => {
        const { answer, log } = await openWithout()
        expect(answer.result?.content).toEqual([{ type: 'text', text: 'served' }])
        expect(log).not.toContain('internal-error')
      }

      function resumes(start: () => Promise<UpgradeServer>, isLast: boolean) {
        let server: UpgradeServer
        beforeAll(async () => {
          server = await start()
        })
        afterAll(() => server.stop())

        for (const [kind, { title, resume }] of Object.entries(states).reverse()) {
          it.concurrent(title, async ({ expect }) => {
            await resume(server, held[kind], expect)
          })
        }

        it('reports no internal error', () => {
          expect(server.log()).not.toContain('internal-error')
        })

        if (isLast) return
        it('leaves open state of every kind', async () => {
          held = await leaveStates(server, states, 'again')
          at = await server.kill()
        })
      }

      it('serves calls that do not need it', servesCalls)

      describe('with the feature again', () => {
        resumes(
          async () =>
            startUpgradeServer({
              worker: 'fixture',
              state,
              versions: { worker: await bundleWorker(CONFIG_PATHS.fixture) },
              startsAt: at,
            }),
          false,
        )
      })

      it('serves calls that do not need it when it was lost once more', servesCalls)

      describe('after a rollback to the release, which has it', () => {
        resumes(
          () =>
            startUpgradeServer({
              worker: 'fixture',
              state,
              versions: { worker: readReleasedWorker(path, 'fixture').bundle },
              startsAt: at,
            }),
          true,
        )
      })
    })
  },
)
