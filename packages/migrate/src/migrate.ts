/**
 * Plans the move of a project to Edgeway. Nothing is written here: see `write-edits.ts`.
 *
 * A decision is a state of the files, and not an event, so a second run reports the same. A transport is reported and
 * never removed: a program over stdio may be what people have installed.
 */
import MagicString from 'magic-string'
import { OBJECTS_CLASS } from '../../doctor/src/config/object-classes.ts'
import { CommandError } from '../../text/src/command-error.ts'
import { printable } from '../../text/src/terminal-text.ts'
import { moveAppTools } from './app-tools.ts'
import { readJsonc } from './configuration/jsonc.ts'
import { languageOf, type ObjectBinding, scopesOf } from './configuration/worker-configuration.ts'
import { agentDecisions } from './decisions/agents.ts'
import { nodeDecisions } from './decisions/node-only.ts'
import { propsDecisions } from './decisions/props.ts'
import { PROVIDER, providerDecisions } from './decisions/providers.ts'
import { registrationDecisions } from './decisions/registrations.ts'
import { serverDecisions } from './decisions/servers.ts'
import { type ServedAgent, servedAgents, servingDecisions } from './decisions/serving.ts'
import { programDecision, transportDecisions } from './decisions/transports.ts'
import { FAMILY_NAMES, type Family } from './modules.ts'
import { type ConfigurationFile, moveConfiguration } from './move-configuration.ts'
import { moveDependencies } from './move-dependencies.ts'
import { moveImports } from './move-imports.ts'
import { rangeOfPackage } from './move-package.ts'
import { newConfiguration, packageNameOf } from './node-entry.ts'
import { nextSteps, notesOf } from './notes.ts'
import type { Decision, FileEdit, Plan } from './plan.ts'
import { findProject, type Project, readProjectFile } from './project.ts'
import {
  declarationDecisions,
  entryDecisions,
  objectsDecision,
  packageDecision,
  typesDecision,
} from './project-decisions.ts'
import { type ProjectSources, readSources } from './project-sources.ts'
import { dependentDecisions, reachDecisions } from './server-reach.ts'
import { parseSource, type SourceFile } from './source-file.ts'
import { splitText } from './source-text.ts'
import { addObjectsExport, exportsOf, objectsExport } from './worker-exports.ts'
import { isPartOfWorker, type WorkspacePackage, workspacePackages } from './workspace.ts'

/**
 * @param path the folder of the project
 * @throws {CommandError} when the project cannot be moved
 */
export function planMigration(path: string): Plan {
  const project = findProject(path)
  const configuration = readConfiguration(project)
  const packageValue = project.hasPackage
    ? readJsonc('package.json', packageText(project))
    : undefined
  const packageName = packageNameOf(packageValue)
  const sources = readSources(project, configuration?.scopes ?? [], packageName)
  const served = servedAgents(sources.concerned, sources.agents)
  const moved =
    configuration === undefined || !sources.isServer
      ? undefined
      : moveConfiguration(configuration, sources.agents, served)
  const files = moveSources(sources, served, moved?.needObjects ?? [])
  const edits = [
    ...files.edits,
    ...(moved === undefined ? [] : [moved.edit]),
    ...entryEdits(sources, packageName),
  ]
  const packages = otherPackages(project)
  const becomesWorker = sources.entry !== undefined
  const dependencies = moveDependencies(project, edits, files.families, { becomesWorker, packages })
  const changes = [...edits, ...dependencies.edits].filter(({ before, after }) => before !== after)
  return {
    folder: project.folder,
    from: [...files.families].map((family) => FAMILY_NAMES[family]),
    edits: changes,
    decisions: sorted([
      ...files.decisions,
      ...(moved?.decisions ?? []),
      ...entryDecisions(
        project,
        sources,
        configuration,
        moved,
        isPartOfWorker(packageName, packages),
      ),
      ...dependencies.decisions,
      ...packageDecision(project, sources),
      ...declarationDecisions(project),
      ...typesDecision(project, sources),
      ...sources.programs.flatMap(({ file, moved }) => programDecision(file, moved)),
      ...reachDecisions(project, sources, edits, packages),
      ...(sources.isServer ? dependentDecisions(project, packageName, packages) : []),
      ...(sources.agents.size === 0
        ? []
        : [
            ...providerDecisions(sources.concerned, rangeOfPackage(packageValue, PROVIDER)),
            ...propsDecisions([...new Set([...sources.reached, ...sources.concerned])]),
          ]),
    ]),
    notes: notesOf(project, sources, configuration, dependencies),
    next: nextSteps(project, changes.length > 0 ? sources : undefined),
  }
}

/** The packages of the workspace beside the project. */
function otherPackages({ folder }: Project): ReadonlyMap<string, WorkspacePackage> {
  return new Map([...workspacePackages(folder)].filter(([, one]) => one.folder !== folder))
}

const packageText = (project: Project) => splitText(readProjectFile(project, 'package.json')).text

/** What makes a Worker of a server that is none yet. */
function entryEdits({ entry }: ProjectSources, packageName: string): readonly FileEdit[] {
  if (entry === undefined) return []
  const module = entry.module === undefined ? [] : [entry.module]
  return [...module, newConfiguration(entry.main, packageName)]
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
  served: readonly ServedAgent[],
  needObjects: readonly ObjectBinding[],
): MovedSources {
  const families = new Set<Family>()
  const decisions: Decision[] = []
  const edits: FileEdit[] = []
  const exporting =
    needObjects.length === 0 ? [] : mains.filter((file) => !exportsOf(file).has(OBJECTS_CLASS))
  const paths = new Set([...concerned, ...exporting].map(({ path }) => path))
  for (const path of paths) {
    const file = [...concerned, ...mains].find((one) => one.path === path)
    if (file === undefined) continue
    const output = new MagicString(file.text)
    const moved = moveImports(file, output)
    for (const family of moved.families) families.add(family)
    decisions.push(...moved.decisions, ...moveAppTools(file, output))
    decisions.push(...transportDecisions(file), ...agentDecisions(file, agents))
    decisions.push(...servingDecisions(file, agents))
    if (isServed(path)) {
      decisions.push(...serverDecisions(file), ...registrationDecisions(file))
      decisions.push(...nodeDecisions(file))
    }
    if (exporting.some((one) => one.path === path)) {
      const exported = objectsExport(file, needObjects, served)
      if (exported === undefined) decisions.push(objectsDecision(file.path))
      else addObjectsExport(file, output, exported)
    }
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
    throw new CommandError(
      `${printable(file.path, 1000)} could not be changed: ${message}. Nothing was written`,
      { cause: error },
    )
  }
  return { file: file.path, before: `${file.mark}${file.text}`, after }
}

/** By file and place, and each of them once. */
function sorted(decisions: readonly Decision[]): readonly Decision[] {
  const unique = new Map(decisions.map((one) => [JSON.stringify(one), one]))
  const key = ({ file, line, column }: Decision) =>
    `${file}\0${String(line).padStart(9, '0')}${String(column).padStart(9, '0')}`
  return [...unique.values()].sort((one, other) => (key(one) < key(other) ? -1 : 1))
}
