/** Adds what another server has registered: `McpServer.include`. */
import type { Definition } from '../definition.ts'
import { checkName } from './checks.ts'

type Registered = Pick<Definition, 'tools' | 'prompts' | 'resources' | 'templates'>

type Named = Definition['tools'] | Definition['prompts']

/**
 * The definitions of `from` under the names that they get.
 *
 * @param into what is registered already
 * @throws {TypeError} for a name or URI that is registered already, or a name that becomes malformed
 */
export function included(from: Registered, into: Registered, prefix: string): Registered {
  for (const uri of from.resources.keys()) {
    if (into.resources.has(uri)) throw new TypeError(`Resource ${uri} is already registered`)
  }
  for (const { info } of from.templates) assertNewTemplate(into.templates, info.uriTemplate)
  return {
    tools: renamed('Tool', from.tools, into.tools, prefix, (tool) => {
      const { deprecated } = tool
      const use = deprecated?.use ?? ''
      // The replacement may be a tool of the including server.
      if (!from.tools.has(use)) return tool
      return { ...tool, deprecated: deprecated && { ...deprecated, use: `${prefix}${use}` } }
    }),
    prompts: renamed('Prompt', from.prompts, into.prompts, prefix),
    resources: from.resources,
    templates: from.templates,
  }
}

/** @throws {TypeError} for a template that is registered already */
export function assertNewTemplate(templates: Registered['templates'], uriTemplate: string): void {
  if (templates.some(({ info }) => info.uriTemplate === uriTemplate)) {
    throw new TypeError(`Resource template ${uriTemplate} is already registered`)
  }
}

function renamed<D extends { readonly info: { readonly name: string } }>(
  kind: 'Tool' | 'Prompt',
  from: ReadonlyMap<string, D>,
  taken: Named,
  prefix: string,
  change: (definition: D) => D = (definition) => definition,
): ReadonlyMap<string, D> {
  const all = new Map<string, D>()
  for (const definition of from.values()) {
    const name = `${prefix}${definition.info.name}`
    checkName(kind, name)
    if (taken.has(name)) throw new TypeError(`${kind} "${name}" is already registered`)
    all.set(name, { ...change(definition), info: { ...definition.info, name } })
  }
  return all
}
