/**
 * Records the golden state of a release: its Workers, the storage of their objects with open state of
 * every kind, and what the clients hold.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkerBundle } from '../../scripts/support/bundle-cache.ts'
import { CONFIG_PATHS, FIXTURE_LIMITS } from '../../scripts/support/fixture-servers.ts'
import { PROJECT_DIRECTORY } from '../../scripts/support/project.ts'
import {
  bundleRelease,
  type DeploymentRecord,
  readReleasedWorker,
  writeRelease,
} from '../../scripts/support/release.ts'
import { register, signingKeyIds } from '../support/node/oauth-client.ts'
import { DEPLOYMENTS, type Deployment } from './deployments.ts'
import { leaveStates } from './leave-states.ts'
import { packState } from './state-archive.ts'
import { openSession } from './states/held-session.ts'
import { startUpgradeServer, type UpgradeServer } from './upgrade-server.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * When the server runs during a recording, relative to its end. A key is used for 30 days and published
 * a day before: the first run creates the keys, the second one publishes their successors, the third one
 * uses the first keys, and the last one the successors.
 */
const RUNS = {
  createKeys: -30.1 * DAY_MS,
  publishSuccessors: -1.09 * DAY_MS,
  leaveOlderStates: -0.2 * DAY_MS,
  leaveStates: 0,
}

/**
 * @param at the time of the recording, in epoch milliseconds
 * @throws {Error} when the directory exists: a recorded release is not recorded again
 */
export async function recordRelease(directory: string, at = Date.now()): Promise<void> {
  if (existsSync(directory)) {
    throw new Error(`${directory} exists: delete it first if this release was not published yet`)
  }
  const draft = `${directory}.draft`
  try {
    mkdirSync(draft, { recursive: true })
    await recordIn(draft, at)
    renameSync(draft, directory)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function recordIn(directory: string, at: number): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'))
  const release = {
    version,
    description:
      'The fixture servers of this version, the storage of their objects after SIGKILL, and what clients held then.',
    ...(await bundleRelease(CONFIG_PATHS, FIXTURE_LIMITS)),
  }
  // The Workers are read as they will be, and record what is stored beside them.
  writeRelease(directory, { ...release, deployments: {} })
  const deployments: Record<string, DeploymentRecord> = {}
  for (const [name, deployment] of Object.entries(DEPLOYMENTS)) {
    const state = await mkdtemp(join(tmpdir(), 'edgeway-record-'))
    try {
      const { bundle } = await readReleasedWorker(directory, deployment.worker)
      const { held, recordedAt } = await recordDeployment(deployment, bundle, state, at)
      const databases = packState(state)
      deployments[name] = { recordedAt: new Date(recordedAt).toISOString(), held, databases }
    } finally {
      rmSync(state, { recursive: true, force: true })
    }
  }
  writeRelease(directory, { ...release, deployments })
}

async function recordDeployment(
  { worker, states, vars }: Deployment,
  bundle: WorkerBundle,
  state: string,
  at: number,
) {
  const run = async <T>(offsetMs: number, work: (server: UpgradeServer) => Promise<T>) => {
    const server = await startUpgradeServer({
      worker,
      state,
      versions: { worker: bundle },
      startsAt: at + offsetMs,
      vars,
    })
    try {
      return { result: await work(server), killedAt: await server.kill() }
    } finally {
      await server.stop()
    }
  }
  const useKeys = worker === 'protected' ? useAllKeys : useSealingKey
  const { result: first } = await run(RUNS.createKeys, useKeys)
  await run(RUNS.publishSuccessors, useKeys)
  const { result: older } = await run(RUNS.leaveOlderStates, (server) =>
    leaveStates(server, states, 'older', ({ isOlder = false }) => isOlder),
  )
  const { result, killedAt } = await run(RUNS.leaveStates, async (server) => {
    // The keyring of the environment does not rotate by itself.
    if (vars.EDGEWAY_SECRET === undefined && (await useKeys(server)) === first) {
      throw new Error(`The keys were not rotated: ${first}`)
    }
    return leaveStates(server, states, 'golden', ({ isOlder = false }) => !isOlder)
  })
  return { held: { ...older, ...result }, recordedAt: killedAt }
}

/** Returns the id of the sealing key, which precedes the first dot of a seal. */
async function useSealingKey(server: UpgradeServer): Promise<string> {
  const { held } = await openSession(server)
  return String(held.id.split('.')[0])
}

/** Also returns the number of signing keys. */
async function useAllKeys(server: UpgradeServer): Promise<string> {
  const { id } = await register(server)
  return `${id.split('.')[0]}, ${(await signingKeyIds(server)).length} signing keys`
}
