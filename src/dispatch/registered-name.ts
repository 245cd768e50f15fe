/** The name of what a request is for, as the author registered it. A text of the client is never returned. */
import { isJsonObject, type JsonObject } from '../protocol/json.ts'
import type { Definition } from '../server/definition.ts'

/** Returns the name of a tool or prompt, the URI of a resource or a URI template; undefined for any other. */
export function registeredName(
  definition: Definition,
  method: string,
  params: JsonObject | undefined,
): string | undefined {
  const { tools, prompts } = definition
  switch (method) {
    case 'tools/call':
      return typeof params?.name === 'string' ? tools.get(params.name)?.info.name : undefined
    case 'prompts/get':
      return typeof params?.name === 'string' ? prompts.get(params.name)?.info.name : undefined
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return registeredUri(definition, params?.uri)
    case 'completion/complete': {
      const { name, uri } = isJsonObject(params?.ref) ? params.ref : {}
      if (typeof name === 'string') return prompts.get(name)?.info.name
      return definition.templates.find(({ info }) => info.uriTemplate === uri)?.info.uriTemplate
    }
    default:
      return undefined
  }
}

function registeredUri({ resources, templates }: Definition, uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined
  const { href } = new URL(uri)
  const resource = resources.get(uri) ?? resources.get(href)
  if (resource !== undefined) return resource.info.uri
  return templates.find(({ template }) => template.match(href) !== undefined)?.info.uriTemplate
}
