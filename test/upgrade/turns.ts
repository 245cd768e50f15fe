/** Versions that open the state of a recorded release in turns: each resumes what the one before has left open, and is killed. */
import { basename } from 'node:path'
import { afterAll, beforeAll, it } from 'vitest'
import { bundleWorker } from '../../scripts/support/bundle.ts'
import { CONFIG_PATHS } from '../../scripts/support/fixture-servers.ts'
import { type Release, readRelease, readReleasedWorker } from '../../scripts/support/release.ts'
import { DEPLOYMENTS, type Deployment, type DeploymentName } from './deployments.ts'
import { releaseDirectories, restore } from './golden-state.ts'
import { type Held, leaveStates } from './leave-states.ts'
import type { OpenStates } from './open-state.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { startUpgradeServer, type UpgradeServer, type Versions } from './upgrade-server.ts'

/** The storage of a deployment, with the kinds of open state that its release has recorded. */
export interface Storage extends Deployment {
  readonly directory: string
  held: Held
  /** The time on its clock. */
  at: number
  /** The present version of its Worker, and that of the release. */
  present(): Promise<Versions['worker']>
  released(): Promise<Versions['worker']>
}

export interface Turn {
  start(storage: Storage): Promise<UpgradeServer>
  /** Set for the last turn, which only resumes. */
  readonly isLast?: boolean
  /** Whether this version also resumes what it has left open itself, without a kill. */
  readonly resumesItself?: boolean
  /** What replaces the state of a kind. */
  readonly ended?: OpenStates
}

/** Each recorded release with each of the deployments. */
export function releasesOf(names: readonly DeploymentName[]) {
  return releaseDirectories().flatMap((path) =>
    names.map((name) => ({ name, path, version: basename(path) })),
  )
}

/** Restores the state of a deployment before the tests of the present suite. */
export function restoredStorage(path: string, name: DeploymentName): Storage {
  const release: Release = readRelease(path)
  const deployment: Deployment = DEPLOYMENTS[name]
  const record = release.deployments[name]
  const { worker, states } = deployment
  const storage: Storage = {
    ...deployment,
    states: Object.fromEntries(
      Object.entries(states).filter(([kind]) => record !== undefined && kind in record.held),
    ),
    directory: temporaryDirectory(afterAll),
    held: {},
    at: Date.parse(record?.recordedAt ?? ''),
    present: () => bundleWorker(CONFIG_PATHS[worker]),
    released: async () => (await readReleasedWorker(path, worker)).bundle,
  }
  beforeAll(() => {
    storage.held = restore(release, name, storage.directory)
  })
  return storage
}

export function startOn(
  { worker, directory: state, at: startsAt, vars, laterVars = vars }: Storage,
  versions: Versions,
  more: {
    readonly vars?: Readonly<Record<string, string>>
    readonly hasDocument?: boolean
  } = {},
): Promise<UpgradeServer> {
  const all = { ...laterVars, ...more.vars }
  return startUpgradeServer({ ...more, worker, state, versions, startsAt, vars: all })
}

let turns = 0

/** Resumes every kind of open state, and leaves it open again unless this is the last turn. */
export function describeTurn(storage: Storage, turn: Turn): void {
  const { isLast = false, resumesItself = false, ended = {} } = turn
  const label = `turn-${turns++}`
  let server: UpgradeServer
  beforeAll(async () => {
    server = await turn.start(storage)
  })
  afterAll(() => server.stop())

  // The states that were left last expire first.
  const kinds = Object.entries({ ...storage.states, ...ended }).reverse()
  for (const [kind, { title, needsKill = false, leave, resume }] of kinds) {
    it.concurrent(`after a kill: ${title}`, async ({ expect }) => {
      await resume(server, storage.held[kind], expect)
    })
    if (!resumesItself || needsKill) continue
    it.concurrent(`without a kill: ${title}`, async ({ expect }) => {
      const held = await leave(server, `${label}-${kind.replaceAll(/\W+/g, '-')}`)
      await resume(server, held, expect)
    })
  }

  it('reports no internal error', ({ expect }) => {
    expect(server.log()).not.toContain('internal-error')
  })

  if (isLast) return
  it('leaves open state of every kind', async () => {
    storage.held = await leaveStates(server, storage.states, label)
    storage.at = await server.kill()
  })
}
