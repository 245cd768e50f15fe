/**
 * Gradual deployments and rollbacks: the present version and a release that reads its rows share one storage, at
 * the same time or in turns, and the server is killed between the turns.
 */
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from '../../scripts/support/bundle.ts'
import { CONFIG_PATHS } from '../../scripts/support/fixture-servers.ts'
import { readRelease, readReleasedWorker } from '../../scripts/support/release.ts'
import { DEPLOYMENTS, type Deployment } from './deployments.ts'
import { releaseDirectories, restore } from './golden-state.ts'
import { type Held, leaveStates } from './leave-states.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { startUpgradeServer, type UpgradeServer, type Versions } from './upgrade-server.ts'

type Version = 'present' | 'release'

interface Turn {
  readonly title: string
  /** The version of the Worker. */
  readonly worker: Version
  /** The classes whose objects run the other version. */
  readonly others: readonly string[]
  /** Set for the last turn, which only resumes. */
  readonly isLast?: boolean
}

const OBJECTS = ['McpObjects', 'Probes']

/** The release leaves the first state and resumes the last. */
const TURNS: readonly Turn[] = [
  {
    title: 'the present Worker with objects of the release',
    worker: 'present',
    others: OBJECTS,
  },
  {
    title: 'the Worker of the release with present objects',
    worker: 'release',
    others: OBJECTS,
  },
  { title: 'the release after a rollback', worker: 'release', others: [], isLast: true },
]

const CASES = releaseDirectories().flatMap((release) =>
  (['fixture', 'protected'] as const).map((name) => ({
    name,
    release,
    version: basename(release),
  })),
)

describe.each(CASES)('the $name server and release $version', ({ name, release }) => {
  const { worker, states: all }: Deployment = DEPLOYMENTS[name]
  const recorded = readRelease(release)
  const record = recorded.deployments[name]
  const states = Object.fromEntries(
    Object.entries(all).filter(([kind]) => record !== undefined && kind in record.held),
  )
  const state = temporaryDirectory(afterAll)
  let held: Held
  let at = Date.parse(record?.recordedAt ?? '')

  beforeAll(() => {
    held = restore(recorded, name, state)
  })

  async function versionsOf({ worker: version, others }: Turn): Promise<Versions> {
    const { bundle: released } = await readReleasedWorker(release, worker)
    const present = await bundleWorker(CONFIG_PATHS[worker])
    const [own, other] = version === 'present' ? [present, released] : [released, present]
    if (others.length === 0) return { worker: own }
    return { worker: own, objects: { bundle: other, classes: others } }
  }

  describe.for(TURNS.map((turn) => [turn.title, turn] as const))(
    'a deployment of two versions as %s',
    ([, turn]) => {
      const { others, isLast = false } = turn
      let server: UpgradeServer

      beforeAll(async () => {
        const versions = await versionsOf(turn)
        server = await startUpgradeServer({ worker, state, versions, startsAt: at })
      })
      afterAll(() => server.stop())

      // The states that were left last expire first.
      const kinds = Object.entries(states)
        .map(([kind, rest]) => ({ kind, ...rest }))
        .reverse()

      for (const { kind, title, needsKill = false, leave, resume } of kinds) {
        it.concurrent(`after a kill: ${title}`, async ({ expect }) => {
          await resume(server, held[kind], expect)
        })

        // The other turns differ from these by the version of one class of objects.
        if (others !== OBJECTS || needsKill) continue
        it.concurrent(`without a kill: ${title}`, async ({ expect }) => {
          const label = `${TURNS.indexOf(turn)}-${kind.replaceAll(/\W+/g, '-')}`
          await resume(server, await leave(server, label), expect)
        })
      }

      it('reports no internal error', () => {
        expect(server.log()).not.toContain('internal-error')
      })

      if (isLast) return
      it('leaves open state of every kind', async () => {
        held = await leaveStates(server, states, `turn-${TURNS.indexOf(turn)}`)
        at = await server.kill()
      })
    },
  )
})
