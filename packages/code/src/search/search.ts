/** `search()`: a list with two tools in place of hundreds, one that finds tools and one that calls them. */

import type { Feature } from '../../../../src/feature/index.ts'
import {
  type AppContext,
  createFeature,
  type Definition,
  type FeatureParts,
  type ToolDefinition,
} from '../../../../src/internal.ts'
import { nearestNames } from '../../../../src/platform/likeness.ts'
import { forwardedCall } from './call-target.ts'
import { defineCallTools } from './call-tools.ts'
import { checkOptions, type SearchOptions, type SearchSettings } from './options.ts'
import { OwnTools } from './own-tools.ts'
import { defineSearchTool } from './search-tool.ts'
import { toolView } from './tool-view.ts'

export type Search = Feature<'search'>

/**
 * Lists a tool that finds tools by words, and one that calls them by name, in place of the tools of the author.
 *
 * @throws {TypeError} for an invalid option. A pinned name that no tool has is a `TypeError` of `createEdgeway`. The definition
 *   of one caller of a factory may not have the tool: telemetry has a warning instead.
 */
export function search(options: SearchOptions = {}): Search {
  const settings = checkOptions(options)
  return createFeature('search', (app) => createParts(app, settings))
}

function createParts(app: AppContext, settings: SearchSettings): FeatureParts {
  const own = new OwnTools()
  const warned = new Set<string>()
  const warnOnce = (name: string, message: string) => {
    if (warned.has(name)) return
    warned.add(name)
    app.report({ type: 'definition-warning', subject: 'search()', message })
  }
  const add = (definition: Definition): readonly ToolDefinition[] => {
    checkDefinition(definition)
    checkPinned(definition, settings, warnOnce)
    own.addSearched(definition.tools.values())
    const left = [...definition.tools.values()].filter(
      (tool) => own.isSearched(tool) && !settings.pinned.includes(tool.info.name),
    )
    if (left.length === 0) return []
    return own.addAdded([
      defineSearchTool(definition, settings.names, own),
      ...defineCallTools(left, settings.names, own),
    ])
  }
  own.extension = {
    add,
    viewOf: (definition) => toolView(definition, settings, own),
    forward: (definition, params, auth) =>
      forwardedCall(definition, params, auth, {
        own,
        hasTasks: app.partsOf('tasks') !== undefined,
      }),
  }
  return { dispatch: { tools: own.extension } }
}

function checkDefinition({ tools, handlers }: Definition): void {
  for (const method of ['tools/list', 'tools/call'] as const) {
    if (handlers.has(method)) {
      throw new TypeError(
        `search() changes the list of tools, which a server with its own handler of ${method} cannot have`,
      )
    }
  }
  for (const { info, tags = [] } of tools.values()) {
    if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
      throw new TypeError(`Tool "${info.name}": tags must be a list of texts`)
    }
  }
}

function checkPinned(
  { tools, isPrivate }: Definition,
  { pinned }: SearchSettings,
  warn: (name: string, message: string) => void,
): void {
  for (const name of pinned) {
    if (tools.has(name)) continue
    const [nearest] = nearestNames(tools.keys(), name, 1)
    const near = nearest === undefined ? '' : `. The nearest is "${nearest}"`
    const message = `search({ pinned }): there is no tool "${name}"${near}`
    if (!isPrivate) throw new TypeError(message)
    warn(name, message)
  }
}
