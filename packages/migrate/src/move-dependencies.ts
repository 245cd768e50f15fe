/** Finds what the project needs and no longer needs, and moves the dependencies. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Family } from './modules.ts'
import { movePackage } from './move-package.ts'
import type { Decision, FileEdit } from './plan.ts'
import { type Project, readProjectFile } from './project.ts'
import { splitText } from './source-text.ts'
import { peersOf, versionOf, type WorkspacePackage } from './workspace.ts'

export interface MovedDependencies {
  readonly edits: readonly FileEdit[]
  readonly decisions: readonly Decision[]
  readonly removed: readonly string[]
  /** Packages that no file names, each with one that stays and needs it as a peer. */
  readonly peers: ReadonlyMap<string, string>
}

export interface ProjectPackages {
  /** Whether the server becomes a Worker. */
  readonly becomesWorker: boolean
  /** The other packages of the workspace. */
  readonly packages: ReadonlyMap<string, WorkspacePackage>
}

/** @throws {CommandError} for a fault of `package.json` */
export function moveDependencies(
  project: Project,
  edits: readonly FileEdit[],
  families: ReadonlySet<Family>,
  { becomesWorker, packages }: ProjectPackages,
): MovedDependencies {
  const moves =
    families.size > 0 || edits.some(({ after }) => /edgeway\/(?:sdk|agents)/.test(after))
  if (!project.hasPackage || !moves) {
    return { edits: [], decisions: [], removed: [], peers: new Map() }
  }
  const before = readProjectFile(project, 'package.json')
  const source = splitText(before)
  const { sources, settings } = textsAfter(project, edits)
  const mentions = (pattern: RegExp) => [...sources, ...settings].some((text) => pattern.test(text))
  const isNamed = (name: string) =>
    sources.some((text) => importOf(name).test(text)) ||
    settings.some((text) => pathIn(name).test(text))
  const scripts = /"scripts"\s*:\s*\{[^}]*\}/.exec(before)?.[0] ?? ''
  const { text, ...moved } = movePackage(source, {
    isUnused: (name) => !isNamed(name) && !scripts.includes(`node_modules/${name}`),
    namesWorkersTypes: mentions(/@cloudflare\/workers-types/),
    zodVersion: versionOf(project.folder, 'zod'),
    becomesWorker,
    peersOf: (name) => peersOf(project.folder, name, packages),
    importsZod: mentions(/(?:from|require\()\s*['"]zod(?:\/[^'"]*)?['"]/),
  })
  const edit: FileEdit = { file: 'package.json', before, after: `${source.mark}${text}` }
  return { edits: [edit], ...moved }
}

/** A package that is named as a module. `agents` is also a word. */
function importOf(name: string): RegExp {
  const before = name === 'agents' ? String.raw`(?:\bfrom|\bimport|\()\s*` : ''
  return new RegExp(`${before}['"\`]${name}(?:/[^'"\`\\n]*)?['"\`]|node_modules/${name}/`)
}

/** A path in a package, as `extends` of `tsconfig.json` has it. */
const pathIn = (name: string): RegExp => new RegExp(`['"]${name}/|node_modules/${name}/`)

/** The texts of all files after the edits, in which a package may be named. */
function textsAfter(project: Project, edits: readonly FileEdit[]) {
  const edited = new Map(edits.map(({ file, after }) => [file, after]))
  const textOf = (file: string) =>
    edited.get(file) ?? readFileSync(join(project.folder, file), 'latin1')
  return {
    sources: [...project.sources, ...project.declarations].map(textOf),
    settings: project.settings.filter((file) => file !== 'package.json').map(textOf),
  }
}
