/**
 * Features that are taken away from a deployed app and added again: the golden states of all releases, opened by
 * apps that lack one and then all of them, by one that has them again, and by the release after each, if it reads the
 * rows of that app.
 */
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from '../../scripts/support/bundle.ts'
import { CONFIG_PATHS } from '../../scripts/support/fixture-servers.ts'
import { readRelease, readReleasedWorker } from '../../scripts/support/release.ts'
import { delay } from '../faults/sessions/delay.ts'
import { callTool } from './calls.ts'
import { DEPLOYMENTS, type Deployment } from './deployments.ts'
import { releaseDirectories, restore } from './golden-state.ts'
import { type Held, leaveStates } from './leave-states.ts'
import type { OpenState, OpenStates } from './open-state.ts'
import { ASKING_STATES, type HeldCall } from './states/asking-states.ts'
import { reopenSession } from './states/held-session.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { startUpgradeServer, type UpgradeServer } from './upgrade-server.ts'

/** Alarms that are due are deferred in this time. */
const ABSENT_MS = 1500

const EVERY = 'keyring asks sessions changes tasks state files'

const WITH_OBJECTS = ['every feature with an object', EVERY] as const
const WITH_AUTH = ['embedded() and every feature', `auth ${EVERY}`] as const

interface Losses {
  readonly name: keyof typeof DEPLOYMENTS
  /** What an app lacks in one version after the other, before it has the features again. */
  readonly lost: readonly (readonly [title: string, without: string])[]
  /** What such an app ends, in place of the state that is continued. */
  readonly ended?: OpenStates
}

/** The fixture has no task tools without `tasks()`. */
const CALL_WITHOUT_TOOL: OpenState = {
  ...ASKING_STATES['interrupted call'],
  title: 'has ended a call whose tool was absent with an error that names the tool',
  async resume(server, held, expect) {
    const { session, lastEventId } = held as HeldCall
    const messages = await reopenSession(server, session).rest(lastEventId)
    expect(messages).toEqual([
      expect.objectContaining({
        error: {
          code: -32602,
          message: 'ten_steps is not offered to you any more, so its call cannot go on',
        },
      }),
    ])
  },
}

const LOSSES: readonly Losses[] = [
  {
    name: 'fixture',
    lost: [['tasks()', 'tasks'], ['sessions()', 'sessions'], WITH_OBJECTS],
    ended: { 'interrupted call': CALL_WITHOUT_TOOL },
  },
  { name: 'secret', lost: [WITH_OBJECTS] },
  { name: 'protected', lost: [WITH_AUTH] },
  { name: 'upstream', lost: [WITH_AUTH] },
]

const CASES = releaseDirectories().flatMap((path) =>
  LOSSES.map((loss) => ({ ...loss, path, version: basename(path) })),
)

/** The storage of a deployment, which versions open in turns. */
interface Storage extends Deployment {
  readonly path: string
  readonly state: string
  held: Held
  /** The time on its clock. */
  at: number
}

type Start = (vars?: Readonly<Record<string, string>>) => Promise<UpgradeServer>

const present =
  (storage: Storage): Start =>
  async (vars) => {
    const { worker, state, at: startsAt } = storage
    const versions = { worker: await bundleWorker(CONFIG_PATHS[worker]) }
    const all = { ...(storage.laterVars ?? storage.vars), ...vars }
    return startUpgradeServer({ worker, state, versions, startsAt, vars: all })
  }

const released =
  (storage: Storage): Start =>
  async () => {
    const { worker, state, at: startsAt, path, vars, laterVars = vars } = storage
    const versions = { worker: (await readReleasedWorker(path, worker)).bundle }
    return startUpgradeServer({ worker, state, versions, startsAt, vars: laterVars })
  }

/** Every kind of open state is resumed, and left open again unless this is the last turn. */
function describeTurn(
  storage: Storage,
  start: Start,
  isLast: boolean,
  ended: OpenStates = {},
): void {
  let server: UpgradeServer
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.stop())

  for (const [kind, { title, resume }] of Object.entries({
    ...storage.states,
    ...ended,
  }).reverse()) {
    it.concurrent(title, async ({ expect }) => {
      await resume(server, storage.held[kind], expect)
    })
  }

  it('reports no internal error', () => {
    expect(server.log()).not.toContain('internal-error')
  })

  if (isLast) return
  it('leaves open state of every kind', async () => {
    storage.held = await leaveStates(server, storage.states, 'again')
    storage.at = await server.kill()
  })
}

describe.each(CASES)(
  'the state of the $name server of release $version, in an app that lost features,',
  ({ name, lost, path, ended }) => {
    const deployment: Deployment = DEPLOYMENTS[name]
    const release = readRelease(path)
    const record = release.deployments[name]
    const storage: Storage = {
      ...deployment,
      states: Object.fromEntries(
        Object.entries(deployment.states).filter(
          ([kind]) => record !== undefined && kind in record.held,
        ),
      ),
      path,
      state: temporaryDirectory(afterAll),
      held: {},
      at: Date.parse(record?.recordedAt ?? ''),
    }

    beforeAll(() => {
      storage.held = restore(release, name, storage.state)
    })

    async function servesCalls(without: string) {
      const server = await present(storage)({ WITHOUT: without })
      const { result } = await callTool(server, 'echo', { text: 'served' })
      await delay(ABSENT_MS)
      storage.at = await server.kill()
      expect(result?.content).toEqual([{ type: 'text', text: 'served' }])
      expect(server.log()).not.toContain('internal-error')
    }

    it.each(lost)('is kept while calls that do not need %s are served', (_, without) =>
      servesCalls(without),
    )

    describe('and that has them again,', () =>
      describeTurn(storage, present(storage), false, ended))

    it('is kept when all of them are lost once more', () => servesCalls(lost.at(-1)?.[1] ?? ''))

    describe('and that was rolled back to the release,', () =>
      describeTurn(storage, released(storage), true))
  },
)
