/** Derives the capabilities that need no feature from the definition. */
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import { isJsonObject } from '../protocol/json.ts'
import type { Definition } from '../server/definition.ts'

/**
 * The capabilities with the extensions that the client of a session has offered, and those that are declared to all.
 *
 * @param offered `capabilities` of `initialize`, as the client sent them
 */
export function withOfferedExtensions(
  { extensions = {}, ...rest }: ServerCapabilities,
  offered: unknown,
  declared: ReadonlySet<string>,
): ServerCapabilities {
  const named = isJsonObject(offered) && isJsonObject(offered.extensions) ? offered.extensions : {}
  const shared = Object.entries(extensions).filter(
    ([id]) => declared.has(id) || (Object.hasOwn(named, id) && isJsonObject(named[id])),
  )
  return shared.length === 0 ? rest : { ...rest, extensions: Object.fromEntries(shared) }
}

export function capabilitiesOf({
  tools,
  prompts,
  resources,
  templates,
  handlers,
  declared,
}: Definition): ServerCapabilities {
  const completes =
    handlers.has('completion/complete') ||
    [...prompts.values()].some(({ complete }) => complete.size > 0) ||
    templates.some(({ template }) => Object.keys(template.complete).length > 0)
  return {
    ...declared,
    logging: {},
    ...(completes ? { completions: {} } : undefined),
    ...(tools.size > 0 || handlers.has('tools/list') ? { tools: {} } : undefined),
    ...(prompts.size > 0 || handlers.has('prompts/list') ? { prompts: {} } : undefined),
    ...(resources.size + templates.length > 0 || hasResources(handlers)
      ? { resources: {} }
      : undefined),
  }
}

function hasResources(handlers: Definition['handlers']): boolean {
  return handlers.has('resources/list') || handlers.has('resources/templates/list')
}
