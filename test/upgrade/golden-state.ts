/** The recorded releases, and their golden states. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Release } from '../../scripts/support/release.ts'
import type { Held } from './leave-states.ts'
import { unpackState } from './state-archive.ts'

export const RELEASES = join(import.meta.dirname, 'releases')

/** The directories of the recorded releases, oldest first. */
export function releaseDirectories(): string[] {
  if (!existsSync(RELEASES)) return []
  return readdirSync(RELEASES)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .map((version) => join(RELEASES, version))
}

/** @throws {Error} when no release is recorded */
export function latestRelease(): string {
  const directory = releaseDirectories().at(-1)
  if (directory !== undefined) return directory
  throw new Error('test/upgrade/releases has no release: record one with `npm run record-release`')
}

/** Restores the storage of a deployment, and returns what its clients hold. */
export function restore({ deployments }: Release, deployment: string, state: string): Held {
  const record = deployments[deployment]
  if (record === undefined) throw new Error(`The release has no deployment ${deployment}`)
  unpackState(record.databases, state)
  return record.held as Held
}
