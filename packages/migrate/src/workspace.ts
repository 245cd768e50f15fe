/** The packages of the workspace that a folder belongs to, and those that are installed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject } from '../../../src/protocol/json.ts'
import { parseJson } from '../../text/src/json/json-text.ts'
import type { Members } from '../../text/src/json/members.ts'

export interface WorkspacePackage {
  readonly name: string
  /** An absolute path. */
  readonly folder: string
  readonly manifest: Members
}

/** Folders between the root of a workspace and its packages. */
const MAX_DEPTH = 4
const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/** By name; empty for a folder that is in no workspace. */
export function workspacePackages(folder: string): ReadonlyMap<string, WorkspacePackage> {
  const root = rootOf(folder)
  const found = root === undefined ? [] : packagesBelow(root, MAX_DEPTH)
  return new Map(found.map((one) => [one.name, one]))
}

/** Whether a package names another one as a dependency of any kind. */
export const dependsOn = ({ manifest }: WorkspacePackage, name: string): boolean =>
  DEPENDENCIES.some((list) => Object.hasOwn(Object(manifest[list]), name))

const CONFIGURATIONS = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml']

/** Whether the Worker of another package needs a package, directly or by others. It then needs no entry of its own. */
export function isPartOfWorker(
  name: string,
  packages: ReadonlyMap<string, WorkspacePackage>,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const dependents = [...packages.values()].filter(
    (one) => !seen.has(one.name) && dependsOn(one, name),
  )
  return dependents.some(
    (one) =>
      CONFIGURATIONS.some((file) => existsSync(join(one.folder, file))) ||
      isPartOfWorker(one.name, packages, new Set([...seen, one.name])),
  )
}

/** The packages that a dependency needs beside it, as far as it is installed or part of the workspace. */
export function peersOf(
  folder: string,
  name: string,
  packages: ReadonlyMap<string, WorkspacePackage>,
): readonly string[] {
  const manifest = packages.get(name)?.manifest ?? installedManifest(folder, name)
  return isJsonObject(manifest?.peerDependencies) ? Object.keys(manifest.peerDependencies) : []
}

/** The version of a package that is installed, or that a lockfile of npm, pnpm, yarn or bun has. */
export function versionOf(folder: string, name: string): string | undefined {
  const installed = installedManifest(folder, name)?.version
  return typeof installed === 'string' ? installed : lockedVersion(folder, name)
}

const LOCKFILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock']

function lockedVersion(folder: string, name: string): string | undefined {
  const version = String.raw`(\d+\.\d+\.\d+[\w.+-]*)`
  const forms = [
    String.raw`"node_modules/${name}":\s*\{\s*"version":\s*"${version}"`,
    String.raw`(?:^|[\s"'])/?${name}@${version}["':(]`,
    String.raw`(?:^|\n)"?${name}@[^\n]*:\s*\n\s+version:?\s+"?${version}`,
  ]
  for (const file of LOCKFILES.map((one) => join(folder, one)).filter((one) => existsSync(one))) {
    const text = readFileSync(file, 'utf8')
    for (const form of forms) {
      const found = new RegExp(form).exec(text)?.[1]
      if (found !== undefined) return found
    }
  }
  const parent = dirname(folder)
  return parent === folder || existsSync(join(folder, '.git'))
    ? undefined
    : lockedVersion(parent, name)
}

function installedManifest(folder: string, name: string): Members | undefined {
  const found = manifestOf(join(folder, 'node_modules', name))
  const parent = dirname(folder)
  return found ?? (parent === folder ? undefined : installedManifest(parent, name))
}

function manifestOf(folder: string): Members | undefined {
  const file = join(folder, 'package.json')
  const value = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined
  return isJsonObject(value) ? value : undefined
}

function rootOf(folder: string): string | undefined {
  const hasPackages = existsSync(join(folder, 'pnpm-workspace.yaml'))
  if (hasPackages || manifestOf(folder)?.workspaces !== undefined) return folder
  const parent = dirname(folder)
  return parent === folder || existsSync(join(folder, '.git')) ? undefined : rootOf(parent)
}

function packagesBelow(folder: string, depth: number): readonly WorkspacePackage[] {
  const manifest = manifestOf(folder)
  const own = typeof manifest?.name === 'string' ? [{ name: manifest.name, folder, manifest }] : []
  if (depth === 0) return own
  const inner = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
  )
  return [...own, ...inner.flatMap(({ name }) => packagesBelow(join(folder, name), depth - 1))]
}
