/** The files of a project: its sources, its configuration and its `package.json`. */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { CommandError } from '../../text/src/command-error.ts'
import { printable } from '../../text/src/terminal-text.ts'
import { ignoredBy, treeState } from './git.ts'
import { MENTION } from './modules.ts'
import { DECLARATION_FILE, SOURCE_FILE, TEST_FILE } from './source-file.ts'
import { decodeText } from './source-text.ts'

export interface Project {
  /** The absolute path of the folder, without symbolic links. */
  readonly folder: string
  /** Paths relative to the folder, with slashes. */
  readonly sources: readonly string[]
  /** Sources that no person writes, by their size. */
  readonly largeSources: readonly string[]
  readonly declarations: readonly string[]
  /** Other files that can name a package, such as `tsconfig.json`. */
  readonly settings: readonly string[]
  /** The configuration of wrangler; undefined for a server that is no Worker yet. */
  readonly configuration: string | undefined
  /** Configurations that wrangler reads when a command names them. */
  readonly otherConfigurations: readonly string[]
  /** Folders of other projects, which are not changed. */
  readonly otherProjects: readonly string[]
  readonly hasPackage: boolean
  readonly packageManager: PackageManager
}

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** In the order of wrangler. */
const CONFIGURATIONS = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml']
const OTHER_CONFIGURATION = /^wrangler\..+\.(?:jsonc?|toml)$/
const SETTINGS_FILE = /\.(?:jsonc?|toml)$/
const LOCKFILE = /(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/
/** What was built is built again, also where it was added to git. */
const BUILT_FOLDERS = ['dist', 'build', 'out', 'coverage']
/** Sources that people write are smaller. Bundles are not moved. */
const MAX_SOURCE_BYTES = 2 * 1024 * 1024

/**
 * @throws {CommandError} when there is no such folder, or it has several projects and none of its own
 */
export function findProject(path: string): Project {
  const folder = folderAt(path)
  const found: Found = { files: [], projects: [] }
  walk(folder, '', found)
  const files = withoutIgnored(folder, found.files)
  const { configuration, others } = chooseConfiguration(folder, files, found.projects)
  const hasPackage = files.includes('package.json')
  if (configuration === undefined && !hasPackage) refuseInnerFolder(folder)
  const sources = files.filter((file) => SOURCE_FILE.test(file) && !DECLARATION_FILE.test(file))
  const isSmall = (file: string) => lstatSync(join(folder, file)).size <= MAX_SOURCE_BYTES
  return {
    folder,
    sources: sources.filter(isSmall),
    largeSources: sources.filter((file) => !isSmall(file)),
    declarations: files.filter((file) => DECLARATION_FILE.test(file)),
    settings: files.filter((file) => SETTINGS_FILE.test(file) && !LOCKFILE.test(file)),
    configuration,
    otherConfigurations: others,
    otherProjects: found.projects,
    hasPackage,
    packageManager: packageManagerOf(folder),
  }
}

function folderAt(path: string): string {
  const place = resolve(path)
  const name = printable(place, 1000)
  if (!existsSync(place)) throw new CommandError(`There is no folder ${name}`)
  const folder = realpathSync(place)
  if (!lstatSync(folder).isDirectory()) {
    throw new CommandError(`${name} is a file. Name the folder of the project`)
  }
  if (folder.split(sep).includes('node_modules')) {
    throw new CommandError(`${name} is in node_modules, whose packages are not changed`)
  }
  return folder
}

/** A folder such as `src`, in which another configuration would be written. */
function refuseInnerFolder(folder: string): void {
  const parent = dirname(folder)
  if (parent === folder) return
  if (CONFIGURATIONS.some((name) => existsSync(join(parent, name)))) {
    throw new CommandError(
      `${printable(folder, 1000)} is part of the project in ${printable(parent, 1000)}. Name that folder`,
    )
  }
  if (!existsSync(join(parent, 'package.json'))) refuseInnerFolder(parent)
}

interface Found {
  readonly files: string[]
  readonly projects: string[]
}

const isWritten = (file: string): boolean => !BUILT_FOLDERS.includes(file.split('/')[0] ?? '')

/** The files of a package, without those of packages below it. */
export function filesBelow(folder: string): readonly string[] {
  const found: Found = { files: [], projects: [] }
  walk(folder, '', found)
  return found.files.filter(isWritten)
}

/** Follows no symbolic link, so nothing outside of the folder is read. */
function walk(folder: string, below: string, found: Found): void {
  for (const entry of entriesOf(join(folder, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isFile()) found.files.push(path)
    const isOwn =
      entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules'
    if (!isOwn) continue
    if (isProject(join(folder, path))) found.projects.push(path)
    else walk(folder, path, found)
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) =>
      one.name < other.name ? -1 : 1,
    )
  } catch (error) {
    throw unreadable(folder, error)
  }
}

function unreadable(path: string, error: unknown): CommandError {
  const { code = 'an error' } = error as NodeJS.ErrnoException
  return new CommandError(`${printable(path, 1000)} cannot be read (${code}). Nothing was written`)
}

/** A repository within this one, or a package of a workspace, which has a name or dependencies of its own. */
function isProject(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return false
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const members = ['name', 'dependencies', 'devDependencies']
    return members.some((member) => Object.hasOwn(Object(value), member))
  } catch {
    // It is no package that can be read, so its folder is not changed.
    return true
  }
}

function withoutIgnored(folder: string, files: readonly string[]): readonly string[] {
  const written = files.filter(isWritten)
  if (treeState(folder) === 'none') return written
  const ignored = ignoredBy(folder, written)
  // A configuration is written by hand, also where it is kept out of git.
  return written.filter((file) => !ignored.has(file) || CONFIGURATIONS.includes(file))
}

const hasServer = (folder: string, files: readonly string[]): boolean =>
  files.includes('package.json') &&
  files.some(
    (file) =>
      SOURCE_FILE.test(file) &&
      !TEST_FILE.test(file) &&
      MENTION.test(readFileSync(join(folder, file), 'latin1')),
  )

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

function chooseConfiguration(
  folder: string,
  files: readonly string[],
  projects: readonly string[],
): { readonly configuration: string | undefined; readonly others: readonly string[] } {
  const nameOf = (file: string) => file.split('/').at(-1) ?? ''
  const configurations = files.filter((file) => CONFIGURATIONS.includes(nameOf(file)))
  const own = CONFIGURATIONS.find((name) => configurations.includes(name))
  const others = (chosen: string | undefined) =>
    files.filter(
      (file) =>
        file !== chosen &&
        (OTHER_CONFIGURATION.test(nameOf(file)) || configurations.includes(file)),
    )
  const linked = CONFIGURATIONS.find((name) => isLink(join(folder, name)))
  if (own === undefined && linked !== undefined) {
    throw new CommandError(
      `${linked} is a symbolic link, which is not followed. Run the command in the folder of the file`,
    )
  }
  if (own !== undefined) return { configuration: own, others: others(own) }
  const folders = new Set(configurations.map((file) => dirname(file)))
  const nested = projects.filter((path) =>
    CONFIGURATIONS.some((name) => existsSync(join(folder, path, name))),
  )
  const [only] = configurations
  // A folder with a server of its own is a project, whichever other ones lie below it.
  if (folders.size < 2 && (nested.length === 0 || hasServer(folder, files)))
    return { configuration: only, others: others(only) }
  const named = [...folders, ...nested].map((path) => printable(path, 200)).join(', ')
  throw new CommandError(
    `The folder has no configuration of wrangler, and these below it have: ${named}. Name one of them: npx edgeway migrate ${printable([...folders, ...nested][0] ?? '', 200)}`,
  )
}

/**
 * The contents of a file of the project.
 *
 * @throws {CommandError}
 */
export function readProjectFile({ folder }: Pick<Project, 'folder'>, file: string): string {
  const path = join(folder, file)
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw unreadable(path, error)
  }
  const contents = decodeText(bytes)
  if (contents === undefined) {
    throw new CommandError(
      `${printable(file, 1000)} is not UTF-8. Convert it, and run the command again`,
    )
  }
  return contents
}

/** The path of a file relative to the folder, with slashes; undefined for one outside. */
export function insideFolder(folder: string, path: string): string | undefined {
  const inside = relative(folder, path)
  if (inside === '' || inside.startsWith('..')) return undefined
  return inside.split(sep).join('/')
}

const LOCKFILES: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]

/** By its lockfile, which may be that of a workspace. */
function packageManagerOf(folder: string): PackageManager {
  for (let place = folder; ; place = dirname(place)) {
    const found = LOCKFILES.find(([file]) => existsSync(join(place, file)))
    if (found !== undefined) return found[1]
    if (existsSync(join(place, 'package-lock.json')) || dirname(place) === place) return 'npm'
  }
}
