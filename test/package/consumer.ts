/** Packs the package and installs it into an empty project, once for all files of these tests. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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
    readonly consumer: Consumer
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

export default function setup(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'edgeway-package-'))
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
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
  execFileSync(
    'npm',
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  project.provide('consumer', {
    directory,
    tarball: join(directory, report.filename),
    files: report.files.map(({ path }: { readonly path: string }) => path),
  })
  return () => rmSync(directory, { recursive: true, force: true })
}
