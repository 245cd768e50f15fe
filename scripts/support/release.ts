/** The directory of a recorded release: its manifest, and the fixture servers as it served them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkerBundle } from './bundle-cache.ts'
import { readCompressed, writeCompressed } from './compressed-json.ts'

export type FixtureName = 'fixture' | 'protected'

export interface ReleaseManifest {
  readonly version: string
  readonly description: string
  /** The recorded deployments by name. */
  readonly deployments: Readonly<Record<string, DeploymentRecord>>
}

export interface DeploymentRecord {
  /** When the server was killed, in ISO 8601. Its clock continues from here. */
  readonly recordedAt: string
  /** The kinds of open state. */
  readonly states: readonly string[]
}

/** A fixture server of a release. */
export interface ReleasedWorker {
  /** Minified. */
  readonly bundle: WorkerBundle
  /** Its limits in force, without and with `--short`. */
  readonly limits: Readonly<Record<'default' | 'short', Readonly<Record<string, number>>>>
}

/** @throws {Error} when the directory is not that of a recorded release */
export function readManifest(directory: string): ReleaseManifest {
  const path = manifestPath(directory)
  if (!existsSync(path)) {
    throw new Error(`${directory} holds no recorded release: ${path} does not exist`)
  }
  const text = readFileSync(path, 'utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${path} is not JSON`, { cause })
  }
}

export function writeManifest(directory: string, manifest: ReleaseManifest): void {
  writeFileSync(manifestPath(directory), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

/** @throws {Error} when the directory holds no such Worker */
export function readReleasedWorker(directory: string, name: FixtureName): ReleasedWorker {
  const { version } = readManifest(directory)
  const path = workerPath(directory, name)
  if (!existsSync(path)) {
    throw new Error(`The recording of release ${version} lacks its Worker: ${path} does not exist`)
  }
  return readCompressed(path)
}

export function writeReleasedWorker(
  directory: string,
  name: FixtureName,
  worker: ReleasedWorker,
): void {
  writeCompressed(workerPath(directory, name), worker)
}

function manifestPath(directory: string): string {
  return join(directory, 'release.json')
}

function workerPath(directory: string, name: FixtureName): string {
  return join(directory, `${name}.worker.json.br`)
}
