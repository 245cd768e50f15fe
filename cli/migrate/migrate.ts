/** Plans the move of a project to Edgeway. Nothing is written here: see `write-edits.ts`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import MagicString from 'magic-string'
import { printable } from '../doctor/text.ts'
import { moveAppTools } from './app-tools.ts'
import { readJsonc } from './configuration/jsonc.ts'
import {
  bindingsOf,
  hasCustomDomain,
  languageOf,
  type Scope,
  scopesOf,
  variablesOf,
} from './configuration/worker-configuration.ts'
import { agentDecisions, servedAgents } from './decisions/agents.ts'
import { nodeDecisions } from './decisions/node-only.ts'
import { firstQuestion, serverDecisions } from './decisions/servers.ts'
import { programDecision, transportDecisions } from './decisions/transports.ts'
import { MigrateError } from './migrate-error.ts'
import { FAMILY_NAMES, type Family, roleOf } from './modules.ts'
import {
  type ConfigurationFile,
  type MovedConfiguration,
  moveConfiguration,
} from './move-configuration.ts'
import { moveImports } from './move-imports.ts'
import { movePackage } from './move-package.ts'
import { newConfiguration, packageInfo, type ServerInfo } from './node-entry.ts'
import { type Decision, type FileEdit, guide, type Plan } from './plan.ts'
import { findProject, type Project, readProjectFile } from './project.ts'
import { type ProjectSources, readSources } from './project-sources.ts'
import { parseSource, type SourceFile } from './source-file.ts'
import { placeOf, splitText } from './source-text.ts'
import { addAgentExport, exportsOf } from './worker-exports.ts'

/**
 * @param path the folder of the project
 * @throws {MigrateError} when the project cannot be moved
 */
export function planMigration(path: string): Plan {
  const project = findProject(path)
  const configuration = readConfiguration(project)
  const info = packageInfo(
    project.hasPackage ? readJsonc('package.json', packageText(project)) : undefined,
  )
  const sources = readSources(project, configuration?.scopes ?? [], info)
  const served = servedAgents(sources.concerned, sources.agents)
  const moved =
    configuration === undefined || sources.concerned.length === 0
      ? undefined
      : moveConfiguration(configuration, sources.agents, served)
  const files = moveSources(sources, moved?.needsKeyring === true)
  const edits = [
    ...files.edits,
    ...(moved === undefined ? [] : [moved.edit]),
    ...entryEdits(sources, info),
  ]
  const dependencies = moveDependencies(project, edits, files.families, sources.entry !== undefined)
  const changes = [...edits, ...dependencies.edits].filter(({ before, after }) => before !== after)
  return {
    folder: project.folder,
    from: [...files.families].map((family) => FAMILY_NAMES[family]),
    edits: changes,
    decisions: sorted([
      ...files.decisions,
      ...(moved?.decisions ?? []),
      ...entryDecisions(project, sources, configuration, moved),
      ...dependencies.decisions,
      ...declarationDecisions(project),
      ...typesDecision(project, sources),
      ...sources.programs.flatMap(programDecision),
    ]),
    notes: notesOf(project, sources, configuration, dependencies.removed),
    next: nextSteps(project, changes.length > 0 ? sources : undefined),
  }
}

const packageText = (project: Project) => splitText(readProjectFile(project, 'package.json')).text

/** What makes a Worker of a server that is none yet. */
function entryEdits({ entry }: ProjectSources, info: ServerInfo): readonly FileEdit[] {
  if (entry === undefined) return []
  const module = entry.module === undefined ? [] : [entry.module]
  return [...module, newConfiguration(entry.main, info)]
}

function readConfiguration(project: Project): ConfigurationFile | undefined {
  const { configuration: file } = project
  if (file === undefined) return undefined
  const contents = readProjectFile(project, file)
  const value = languageOf(file).read(file, splitText(contents).text)
  return { file, contents, scopes: scopesOf(value) }
}

interface MovedSources {
  readonly edits: readonly FileEdit[]
  readonly families: ReadonlySet<Family>
  readonly decisions: readonly Decision[]
}

function moveSources(
  { concerned, agents, mains, isServed }: ProjectSources,
  needsKeyring: boolean,
): MovedSources {
  const families = new Set<Family>()
  const decisions: Decision[] = []
  const edits: FileEdit[] = []
  const exporting = needsKeyring ? mains.filter((file) => !exportsOf(file).has('McpKeyring')) : []
  const paths = new Set([...concerned, ...exporting].map(({ path }) => path))
  for (const path of paths) {
    const file = [...concerned, ...mains].find((one) => one.path === path)
    if (file === undefined) continue
    const output = new MagicString(file.text)
    const moved = moveImports(file, output)
    for (const family of moved.families) families.add(family)
    decisions.push(...moved.decisions, ...moveAppTools(file, output))
    decisions.push(...transportDecisions(file), ...agentDecisions(file, agents))
    if (isServed(path)) decisions.push(...serverDecisions(file), ...nodeDecisions(file))
    if (exporting.some((one) => one.path === path)) addAgentExport(file, output, 'McpKeyring')
    edits.push(editOf(file, output))
  }
  return { edits, families, decisions }
}

function editOf(file: SourceFile, output: MagicString): FileEdit {
  const after = `${file.mark}${output.toString()}`
  try {
    if (output.hasChanged()) parseSource(file.path, after)
  } catch (error) {
    // A defect of this command, which must not reach the file.
    const { message } = error as Error
    throw new MigrateError(
      `${printable(file.path, 1000)} could not be changed: ${message}. Nothing was written`,
      { cause: error },
    )
  }
  return { file: file.path, before: `${file.mark}${file.text}`, after }
}

interface MovedDependencies {
  readonly edits: readonly FileEdit[]
  readonly decisions: readonly Decision[]
  readonly removed: readonly string[]
}

function moveDependencies(
  project: Project,
  edits: readonly FileEdit[],
  families: ReadonlySet<Family>,
  becomesWorker: boolean,
): MovedDependencies {
  const moves =
    families.size > 0 || edits.some(({ after }) => /edgeway\/(?:sdk|agents)/.test(after))
  if (!project.hasPackage || !moves) return { edits: [], decisions: [], removed: [] }
  const before = readProjectFile(project, 'package.json')
  const source = splitText(before)
  const texts = textsAfter(project, edits)
  const mentions = (pattern: RegExp) => texts.some((text) => pattern.test(text))
  const scripts = /"scripts"\s*:\s*\{[^}]*\}/.exec(before)?.[0] ?? ''
  const { text, removed, decisions } = movePackage(source, {
    isUnused: (name) => !mentions(importOf(name)) && !scripts.includes(`node_modules/${name}`),
    namesWorkersTypes: mentions(/@cloudflare\/workers-types/),
    becomesWorker,
    importsZod: mentions(/(?:from|require\()\s*['"]zod(?:\/[^'"]*)?['"]/),
  })
  const edit: FileEdit = { file: 'package.json', before, after: `${source.mark}${text}` }
  return { edits: [edit], decisions, removed }
}

/** A package that is named as a module. `agents` is also a word. */
function importOf(name: string): RegExp {
  const before = name === 'agents' ? String.raw`(?:\bfrom|\bimport|\()\s*` : ''
  return new RegExp(`${before}['"\`]${name}(?:/[^'"\`\\n]*)?['"\`]|node_modules/${name}/`)
}

/** The texts of all files after the edits, in which a package may be named. */
function textsAfter(project: Project, edits: readonly FileEdit[]): readonly string[] {
  const edited = new Map(edits.map(({ file, after }) => [file, after]))
  const files = [...project.sources, ...project.declarations, ...project.settings]
  return files
    .filter((file) => file !== 'package.json')
    .map((file) => edited.get(file) ?? readFileSync(join(project.folder, file), 'latin1'))
}

function entryDecisions(
  project: Project,
  { agents, foreignMains, concerned, entry, isServed }: ProjectSources,
  configuration: ConfigurationFile | undefined,
  moved: MovedConfiguration | undefined,
): readonly Decision[] {
  if (concerned.length === 0) return []
  const start = { line: 1, column: 1 }
  if (configuration === undefined) {
    // A new main module is complete. Otherwise the decision at the transport says what to write.
    if (entry !== undefined) return []
    const file = concerned.find(({ path }) => isServed(path))?.path ?? project.sources[0] ?? ''
    const why =
      'The server is no Worker yet: it has no configuration of wrangler, and no entry that exports createEdgeway(server)'
    return [{ file, ...start, code: 'configuration-missing', why, guide: guide.sdk('the-entry') }]
  }
  const { file, scopes } = configuration
  const found: Decision[] = []
  if (moved?.needsKeyring === true) {
    found.push(
      ...foreignMains.map((main): Decision => {
        const why = `The main module ${JSON.stringify(main)} is no source file of this folder: export McpKeyring of edgeway/agents from it`
        return { file, ...start, code: 'entry-elsewhere', why, guide: guide.agents('bindings') }
      }),
    )
  }
  if (agents.size === 0) found.push(...questionDecisions(concerned, isServed, scopes))
  return found
}

/** Questions are sealed: with the keyring, or with a secret. */
function questionDecisions(
  concerned: readonly SourceFile[],
  isServed: (file: string) => boolean,
  scopes: readonly Scope[],
): readonly Decision[] {
  const hasKeys = scopes.some(
    (scope) =>
      variablesOf(scope).includes('EDGEWAY_SECRET') ||
      bindingsOf(scope).some(({ className }) => className === 'McpKeyring'),
  )
  const asking = concerned.filter(({ path }) => isServed(path)).map(firstQuestion)
  const place = asking.find((one) => one !== undefined)
  if (hasKeys || place === undefined) return []
  const why =
    'Questions need the secret EDGEWAY_SECRET (at least 32 characters), or the class McpKeyring with the binding MCP_KEYRING'
  return [{ ...place, code: 'questions-need-keys', why, guide: guide.sdk('from-createmcphandler') }]
}

/** Declarations are not changed, because programs write most of them. */
function declarationDecisions(project: Project): readonly Decision[] {
  return project.declarations.flatMap((file): Decision[] => {
    const { text } = splitText(readFileSync(join(project.folder, file), 'utf8'))
    const found =
      /['"]((?:@modelcontextprotocol\/(?:sdk|server)|agents\/mcp)(?:\/[^'"]*)?)['"]/.exec(text)
    if (found === null || roleOf(found[1] ?? '')?.kind !== 'moves') return []
    const why = `Declarations are not changed, and this one names ${found[1]}: name edgeway/sdk, or generate it again`
    const place = placeOf(text, found.index)
    return [
      { file, ...place, code: 'generated-declarations', why, guide: guide.sdk('the-imports') },
    ]
  })
}

/** The types of a Worker come from a package, or from what `wrangler types` generates. */
function typesDecision(project: Project, { concerned }: ProjectSources): readonly Decision[] {
  const isChecked = project.settings.includes('tsconfig.json')
  if (!isChecked || !concerned.some(({ isTypeScript }) => isTypeScript)) return []
  const files = [...project.sources, ...project.declarations, ...project.settings]
  const hasTypes = files
    .filter((file) => file !== 'package.json')
    .some((file) => WORKER_TYPES.test(readFileSync(join(project.folder, file), 'latin1')))
  if (hasTypes) return []
  const why =
    'The types are those of Node, and a Worker needs its own: set module, moduleResolution and types'
  const place = { file: 'tsconfig.json', line: 1, column: 1 }
  return [{ ...place, code: 'node-only', why, guide: guide.sdk('from-node-to-workers') }]
}

const WORKER_TYPES = /@cloudflare\/workers-types|Generated by Wrangler/

/** Whether a source of the project has a text. */
const names = ({ folder, sources }: Project, pattern: RegExp): boolean =>
  sources.some((file) => pattern.test(readFileSync(join(folder, file), 'latin1')))

function notesOf(
  project: Project,
  { agents, concerned }: ProjectSources,
  configuration: ConfigurationFile | undefined,
  removed: readonly string[],
): readonly string[] {
  const { otherConfigurations, otherProjects, largeSources } = project
  const notes: string[] = []
  const list = (texts: readonly string[]) => texts.map((text) => printable(text, 200)).join(', ')
  if (otherConfigurations.length > 0) {
    notes.push(`Other configurations were not changed: ${list(otherConfigurations)}`)
  }
  if (otherProjects.length > 0) {
    notes.push(`Other projects below the folder were not changed: ${list(otherProjects)}`)
  }
  if (largeSources.length > 0) {
    notes.push(`Sources of more than 2 MiB were not read: ${list(largeSources)}`)
  }
  if (removed.includes('agents'))
    notes.push('The dependency agents goes, and with it the types that it brings')
  if (agents.size > 0 && concerned.length > 0) {
    notes.push('Sessions of the old version end with the deployment: clients open new ones')
  }
  if (concerned.length > 0 && names(project, /['"]@cloudflare\/workers-oauth-provider['"]/)) {
    notes.push(
      `OAuthProvider stays in front of the server. embedded() can replace it: ${guide.provider('the-provider-replaced')}`,
    )
  }
  if (configuration !== undefined && hasCustomDomain(configuration.scopes)) {
    notes.push(
      'Start the Worker with wrangler dev --local-upstream localhost, because of the custom domain in its routes',
    )
  }
  return notes
}

/** @param sources undefined where nothing has moved */
function nextSteps(project: Project, sources: ProjectSources | undefined): readonly string[] {
  if (sources === undefined) return []
  const generates = project.declarations.some((file) => file.endsWith('worker-configuration.d.ts'))
  return [
    `${project.packageManager} install`,
    ...(sources.agents.size > 0 && generates ? ['npx wrangler types'] : []),
    ...(project.configuration === undefined && sources.entry === undefined
      ? []
      : ['npx edgeway doctor --config']),
  ]
}

/** By file and place, and each of them once. */
function sorted(decisions: readonly Decision[]): readonly Decision[] {
  const unique = new Map(decisions.map((one) => [JSON.stringify(one), one]))
  const key = ({ file, line, column }: Decision) =>
    `${file}\0${String(line).padStart(9, '0')}${String(column).padStart(9, '0')}`
  return [...unique.values()].sort((one, other) => (key(one) < key(other) ? -1 : 1))
}
