/** The recorded releases, and their golden states. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

export function statePath(directory: string, deployment: string): string {
  return join(directory, `${deployment}.state.json.br`)
}

export function heldPath(directory: string, deployment: string): string {
  return join(directory, `${deployment}.clients.json`)
}

/** Restores the storage of a deployment, and returns what its clients hold. */
export function restore(directory: string, deployment: string, state: string): Held {
  unpackState(statePath(directory, deployment), state)
  return JSON.parse(readFileSync(heldPath(directory, deployment), 'utf8'))
}
