/** What a server can do, read off its definition: nothing is declared that would not be served. */
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Definition } from '../server/definition.ts'

export function capabilitiesOf({
  tools,
  prompts,
  resources,
  templates,
}: Definition): ServerCapabilities {
  const completes =
    [...prompts.values()].some(({ complete }) => complete.size > 0) ||
    templates.some(({ template }) => Object.keys(template.complete).length > 0)
  return {
    logging: {},
    ...(completes ? { completions: {} } : undefined),
    ...(tools.size > 0 ? { tools: {} } : undefined),
    ...(prompts.size > 0 ? { prompts: {} } : undefined),
    ...(resources.size + templates.length > 0 ? { resources: {} } : undefined),
  }
}
