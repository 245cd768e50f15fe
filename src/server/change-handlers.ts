/** Copies definitions with other handlers or checks. */
import type {
  Definition,
  PromptDefinition,
  ResourceDefinition,
  TemplateDefinition,
  ToolDefinition,
} from './definition.ts'

/** The kinds of definition that have a handler. */
export type Handlers = Pick<Definition, 'tools' | 'prompts' | 'resources' | 'templates'>

/** What becomes of one definition of each kind. */
export interface HandlerChanges {
  readonly tool: (tool: ToolDefinition) => ToolDefinition
  readonly prompt: (prompt: PromptDefinition) => PromptDefinition
  readonly resource: (resource: ResourceDefinition) => ResourceDefinition
  readonly template: (template: TemplateDefinition) => TemplateDefinition
}

export function changeHandlers(
  { tools, prompts, resources, templates }: Handlers,
  changes: HandlerChanges,
): Handlers {
  return {
    tools: changeValues(tools, changes.tool),
    prompts: changeValues(prompts, changes.prompt),
    resources: changeValues(resources, changes.resource),
    templates: templates.map((template) => changes.template(template)),
  }
}

/** Changes each value once: a resource is registered under two URIs, and both stay the same definition. */
function changeValues<V>(
  values: ReadonlyMap<string, V>,
  change: (value: V) => V,
): ReadonlyMap<string, V> {
  const changed = new Map<V, V>()
  for (const value of new Set(values.values())) changed.set(value, change(value))
  return new Map([...values].map(([key, value]) => [key, changed.get(value) ?? value]))
}
