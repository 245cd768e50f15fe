/** Moves the configuration of wrangler: the flag, the binding of the class of Edgeway and its migration. */
import { type Append, appendAll } from './configuration/edit.ts'
import { offsetOf } from './configuration/jsonc.ts'
import {
  bindingsOf,
  declaresExports,
  flagEdits,
  keyValueClasses,
  languageOf,
  type ObjectBinding,
  objectsEdits,
  type Scope,
  takesObjectsBinding,
  variablesOf,
} from './configuration/worker-configuration.ts'
import type { ServedAgent } from './decisions/serving.ts'
import { type Decision, type FileEdit, guide, type Place } from './plan.ts'
import { placeOfNode } from './source-file.ts'
import { placeOf, splitText } from './source-text.ts'

export interface ConfigurationFile {
  readonly file: string
  readonly contents: string
  readonly scopes: readonly [Scope, ...Scope[]]
}

export interface MovedConfiguration {
  readonly edit: FileEdit
  readonly decisions: readonly Decision[]
  /** The agents whose Worker must export the class of Edgeway, each with its binding once. */
  readonly needObjects: readonly ObjectBinding[]
}

/**
 * @param agents the classes that extend `McpAgent`
 * @param served how they are served
 * @throws {CommandError}
 */
export function moveConfiguration(
  { file, contents, scopes }: ConfigurationFile,
  agents: ReadonlySet<string>,
  served: readonly ServedAgent[],
): MovedConfiguration {
  const { mark, ...text } = splitText(contents)
  const names = new Set(served.map(({ binding }) => binding))
  const isAgent = ({ name, className }: ObjectBinding) =>
    agents.has(className) || (agents.size > 0 && names.has(name))
  const hasSecret = (scope: Scope) => variablesOf(scope).includes('EDGEWAY_SECRET')
  const withoutSecret = scopes.filter((scope) => !hasSecret(scope))
  const objects = agents.size === 0 ? [] : objectsEdits(withoutSecret, isAgent)
  const appends: Append[] = [...flagEdits(scopes), ...objects]
  const after = appendAll(languageOf(file), file, text, appends)
  return {
    edit: { file, before: contents, after: `${mark}${after}` },
    needObjects: [
      ...new Map(
        withoutSecret
          .flatMap(bindingsOf)
          .filter(isAgent)
          .map((binding) => [binding.name, binding]),
      ).values(),
    ],
    decisions: [
      ...unboundDecision(file, scopes, agents, served, isAgent),
      ...migrationDecisions(file, text.text, scopes, isAgent, objects.length > 0),
      ...bindingDecisions(scopes, served),
      ...(agents.size > 0 && withoutSecret.some(takesObjectsBinding)
        ? [objectsDecision(file)]
        : []),
    ],
  }
}

/** An agent whose class is bound under a name that is not known. */
function unboundDecision(
  file: string,
  scopes: readonly Scope[],
  agents: ReadonlySet<string>,
  served: readonly ServedAgent[],
  isAgent: (binding: ObjectBinding) => boolean,
): readonly Decision[] {
  const isKnown = served.length > 0 || scopes.flatMap(bindingsOf).some(isAgent)
  if (agents.size === 0 || isKnown) return []
  const why = `No binding has the class ${[...agents].join(' or ')}: add one, unless a class that is made of it has one, and MCP_OBJECTS with the class McpObjects, its migration and its export`
  return [
    { file, line: 1, column: 1, code: 'binding-missing', why, guide: guide.moving('bindings') },
  ]
}

function objectsDecision(file: string): Decision {
  const why =
    'The binding MCP_OBJECTS has another class: rename it, and bind McpObjects as MCP_OBJECTS in its place'
  const place = { file, line: 1, column: 1 }
  return { ...place, code: 'binding-missing', why, guide: guide.moving('bindings') }
}

function migrationDecisions(
  file: string,
  text: string,
  scopes: readonly [Scope, ...Scope[]],
  isAgent: (binding: ObjectBinding) => boolean,
  hasObjects: boolean,
): readonly Decision[] {
  const at = (member: string): Place => {
    const offset = file.endsWith('.toml') ? lineStarting(text, member) : offsetOf(text, [member])
    return { file, ...placeOf(text, offset ?? 0) }
  }
  const anchor = guide.moving('bindings')
  const found: Decision[] = []
  if (declaresExports(scopes) && hasObjects) {
    const why =
      'The classes are declared by exports, so add McpObjects with { "type": "durable-object", "storage": "sqlite" } there'
    found.push({ ...at('exports'), code: 'migration-needed', why, guide: anchor })
  }
  const old = keyValueClasses(scopes)
  const bound = new Set(
    scopes
      .flatMap(bindingsOf)
      .filter(isAgent)
      .map(({ className }) => className),
  )
  for (const className of [...bound].filter((name) => old.includes(name))) {
    const why = `${className} was created by new_classes, without SQLite, which sessions need: serve the agent under a new class of new_sqlite_classes`
    found.push({ ...at('migrations'), code: 'migration-needed', why, guide: anchor })
  }
  return found
}

function lineStarting(text: string, member: string): number | undefined {
  const found = text.split('\n').findIndex((line) => line.replace(/^[\s[]+/, '').startsWith(member))
  return found < 0 ? undefined : text.split('\n').slice(0, found).join('\n').length + 1
}

/** Each class needs a binding of its own, in each environment that is deployed with it. */
function bindingDecisions(
  scopes: readonly Scope[],
  served: readonly ServedAgent[],
): readonly Decision[] {
  const bound = new Set(scopes.flatMap(bindingsOf).map(({ name }) => name))
  const owners = new Map<string, string>()
  const told = new Set<string>()
  return served.flatMap(({ name, binding, file, node }): Decision[] => {
    const place = placeOfNode(file, node)
    const owner = owners.get(binding) ?? name
    owners.set(binding, owner)
    const isShared = owner !== name
    if (!isShared && bound.has(binding)) return []
    const key = `${name} ${binding}`
    if (told.has(key)) return []
    told.add(key)
    const why = isShared
      ? `${name} and ${owner} are served with the binding ${binding}, and each class needs a binding of its own: serve(path, { binding })`
      : `${name} is served with the binding ${binding}, which the configuration does not have`
    return [{ ...place, code: 'binding-missing', why, guide: guide.moving('bindings') }]
  })
}
