/** Derives the capabilities that need no feature from the definition. */
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Definition } from '../server/definition.ts'

export function capabilitiesOf({
  tools,
  prompts,
  resources,
  templates,
  handlers,
}: Definition): ServerCapabilities {
  const completes =
    handlers.has('completion/complete') ||
    [...prompts.values()].some(({ complete }) => complete.size > 0) ||
    templates.some(({ template }) => Object.keys(template.complete).length > 0)
  return {
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
