/**
 * Packs the package and installs it into an empty project, once for all files of these tests, and while
 * other tests run.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

export const ROOT = resolve(import.meta.dirname, '../..')

export interface Consumer {
  /** The folder of the project that has installed the package. */
  readonly directory: string
  readonly tarball: string
  /** Paths in the package. */
  readonly files: readonly string[]
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the project that installs the package. */
    readonly consumer: string
  }
}

export const manifest: {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly bin?: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The entries of the package, as they are imported: `edgeway`, `edgeway/testing`, … */
export const entries: readonly string[] = Object.keys(manifest.exports)
  .filter((path) => path !== './package.json')
  .map((path) => join('edgeway', path))

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version

/** Written to the folder of the project at the end: a `Consumer`, or the message of an error. */
export const REPORT = 'consumer.json'

const run = promisify(execFile)

export default function setup(project: TestProject): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'edgeway-package-'))
  project.provide('consumer', directory)
  const written = install(directory)
    .catch((error: unknown) => ({ error: String(error) }))
    .then((report: Consumer | { readonly error: string }) => {
      const file = join(directory, REPORT)
      writeFileSync(`${file}.draft`, JSON.stringify(report))
      renameSync(`${file}.draft`, file)
    })
  return async () => {
    await written
    rmSync(directory, { recursive: true, force: true })
  }
}

async function install(directory: string): Promise<Consumer> {
  const { stdout: packed } = await run('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  })
  const [report] = JSON.parse(packed.slice(packed.indexOf('[\n')))
  const peers = Object.keys(manifest.peerDependencies)
  const pinned = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, versionOf(name)]))
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({
      name: 'consumer',
      private: true,
      type: 'module',
      dependencies: { edgeway: `file:${report.filename}`, ...pinned(peers) },
      devDependencies: pinned(['@cloudflare/workers-types']),
    }),
  )
  mkdirSync(join(directory, 'src'))
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: directory,
  })
  return {
    directory,
    tarball: join(directory, report.filename),
    files: report.files.map(({ path }: { readonly path: string }) => path),
  }
}
