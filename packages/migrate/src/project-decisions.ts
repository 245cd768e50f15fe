/** What a person decides about a project as a whole: its entry, its declarations and its types. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OBJECTS_CLASS } from '../../doctor/src/config/object-classes.ts'
import { bindingsOf, type Scope, variablesOf } from './configuration/worker-configuration.ts'
import { importOfAgent } from './decisions/agents.ts'
import { firstQuestion } from './decisions/servers.ts'
import { roleOf } from './modules.ts'
import type { ConfigurationFile, MovedConfiguration } from './move-configuration.ts'
import { type Decision, guide } from './plan.ts'
import type { Project } from './project.ts'
import type { ProjectSources } from './project-sources.ts'
import { placeOfNode, type SourceFile } from './source-file.ts'
import { placeOf, splitText } from './source-text.ts'

/** The entry of the Worker, and the keys of its questions. */
export function entryDecisions(
  project: Project,
  { agents, mains, foreignMains, concerned, entry, isServed, isServer }: ProjectSources,
  configuration: ConfigurationFile | undefined,
  moved: MovedConfiguration | undefined,
  isPartOfWorker: boolean,
): readonly Decision[] {
  if (!isServer) return []
  const start = { line: 1, column: 1 }
  if (configuration === undefined) {
    // A new main module is complete. Otherwise the decision at the transport says what to write.
    if (entry !== undefined || isPartOfWorker) return []
    const file = concerned.find(({ path }) => isServed(path))?.path ?? project.sources[0] ?? ''
    const why =
      'The server is no Worker yet: it has no configuration of wrangler, and no entry that exports createEdgeway(server)'
    return [
      { file, ...start, code: 'configuration-missing', why, guide: guide.moving('the-entry') },
    ]
  }
  const { file, scopes } = configuration
  const found: Decision[] = []
  if (moved !== undefined && moved.needObjects.length > 0) {
    const elsewhere = foreignMains.map(
      (main) => `The main module ${JSON.stringify(main)} is no source file of this folder`,
    )
    if (mains.length + elsewhere.length === 0)
      elsewhere.push('The configuration names no main module')
    found.push(
      ...elsewhere.map((what): Decision => {
        const why = `${what}: add ${EXPORT} to it`
        return { file, ...start, code: 'entry-elsewhere', why, guide: guide.moving('bindings') }
      }),
    )
  }
  if (agents.size === 0) {
    found.push(...unknownAgentDecision(concerned, isServed, scopes))
    found.push(...questionDecisions(concerned, isServed, scopes))
  }
  return found
}

const EXPORT = "export class McpObjects extends MyMCP.serve('/mcp').Objects {}"

/** A main module that does not name each agent. */
export function objectsDecision(file: string): Decision {
  const why = `The main module does not name each agent: import the agent, and add ${EXPORT} with its name, path and binding`
  const place = { file, line: 1, column: 1 }
  return { ...place, code: 'entry-elsewhere', why, guide: guide.moving('bindings') }
}

/** An agent that no class extends by name, such as what a function returns: its binding is not known. */
function unknownAgentDecision(
  concerned: readonly SourceFile[],
  isServed: (file: string) => boolean,
  scopes: readonly Scope[],
): readonly Decision[] {
  if (hasKeys(scopes)) return []
  const why =
    'No class with a name extends McpAgent directly, so its binding is not known: add MCP_OBJECTS with the class McpObjects beside it, its migration and its export'
  return concerned
    .filter(({ path }) => isServed(path))
    .flatMap((file): Decision[] => {
      const node = importOfAgent(file)
      if (node === undefined) return []
      const place = placeOfNode(file, node)
      return [{ ...place, code: 'binding-missing', why, guide: guide.moving('bindings') }]
    })
}

const hasKeys = (scopes: readonly Scope[]): boolean =>
  scopes.some(
    (scope) =>
      variablesOf(scope).includes('EDGEWAY_SECRET') ||
      bindingsOf(scope).some(({ className }) => className === OBJECTS_CLASS),
  )

/** Questions are sealed: with the keyring, or with a secret. */
function questionDecisions(
  concerned: readonly SourceFile[],
  isServed: (file: string) => boolean,
  scopes: readonly Scope[],
): readonly Decision[] {
  const asking = concerned.filter(({ path }) => isServed(path)).map(firstQuestion)
  const place = asking.find((one) => one !== undefined)
  if (hasKeys(scopes) || place === undefined) return []
  const why =
    'Questions need the secret EDGEWAY_SECRET (at least 32 characters), or the class McpObjects with the binding MCP_OBJECTS'
  return [
    { ...place, code: 'questions-need-keys', why, guide: guide.moving('from-createmcphandler') },
  ]
}

/** A `package.json` that is a link, or that of a folder above, is not changed. */
export function packageDecision(
  { folder, hasPackage }: Project,
  { concerned, isServed, isServer }: ProjectSources,
): readonly Decision[] {
  const file = concerned.find(({ path }) => isServed(path))?.path
  if (hasPackage || !isServer || file === undefined || packageAbove(folder).includes('"edgeway"')) {
    return []
  }
  const why =
    'No package.json was changed, because this folder has none of its own: add edgeway to the dependencies of the package that the server belongs to'
  return [{ file, line: 1, column: 1, code: 'dependency', why, guide: guide.moving('the-imports') }]
}

/** The text of the nearest `package.json`. */
function packageAbove(folder: string): string {
  const file = join(folder, 'package.json')
  if (existsSync(file)) return readFileSync(file, 'utf8')
  return dirname(folder) === folder ? '' : packageAbove(dirname(folder))
}

/** Declarations are not changed, because programs write most of them. */
export function declarationDecisions(project: Project): readonly Decision[] {
  return project.declarations.flatMap((file): Decision[] => {
    const { text } = splitText(readFileSync(join(project.folder, file), 'utf8'))
    const found =
      /['"]((?:@modelcontextprotocol\/(?:sdk|server)|agents\/mcp)(?:\/[^'"]*)?)['"]/.exec(text)
    if (found === null || roleOf(found[1] ?? '')?.kind !== 'moves') return []
    const why = `Declarations are not changed, and this one names ${found[1]}: name edgeway/sdk, or generate it again`
    const place = placeOf(text, found.index)
    return [
      { file, ...place, code: 'generated-declarations', why, guide: guide.moving('the-imports') },
    ]
  })
}

/** The settings of TypeScript for Node, where nothing brings the types of Workers. */
export function typesDecision(
  project: Project,
  { concerned, isServer }: ProjectSources,
): readonly Decision[] {
  const isChecked = project.settings.includes('tsconfig.json')
  if (!isServer || !isChecked || !concerned.some(({ isTypeScript }) => isTypeScript)) return []
  const has = (files: readonly string[], pattern: RegExp) =>
    files.some((file) => pattern.test(readFileSync(join(project.folder, file), 'latin1')))
  const settings = project.settings.filter((file) => file !== 'package.json')
  const all = [...project.sources, ...project.declarations, ...settings]
  if (!has(settings, NODE_MODULES) || has(all, WORKER_TYPES)) return []
  const why =
    'The types are those of Node, and a Worker needs its own: set module, moduleResolution and types'
  const place = { file: 'tsconfig.json', line: 1, column: 1 }
  return [{ ...place, code: 'node-only', why, guide: guide.moving('from-node-to-workers') }]
}

const NODE_MODULES = /"module(?:Resolution)?"\s*:\s*"(?:node\w*|commonjs)"/i
const WORKER_TYPES = /@cloudflare\/workers-types|Generated by Wrangler/
