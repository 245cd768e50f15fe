/** Derives the server capabilities from the definition. */
import type { ChangeKind } from '../ports/change-bus.ts'
import { APPS_EXTENSION, UI_META } from '../protocol/apps.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import { isJsonObject } from '../protocol/json.ts'
import { SKILLS_EXTENSION } from '../protocol/skills.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { Definition } from '../server/definition.ts'
import type { Call } from './call.ts'

/** Adds the capabilities that need a hub: list changes and resource subscriptions. */
export function withChanges(capabilities: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources, ...rest } = capabilities
  return {
    ...rest,
    ...(tools === undefined ? undefined : { tools: { ...tools, listChanged: true } }),
    ...(prompts === undefined ? undefined : { prompts: { ...prompts, listChanged: true } }),
    ...(resources === undefined
      ? undefined
      : { resources: { ...resources, listChanged: true, subscribe: true } }),
  }
}

const TASKS = { cancel: {}, requests: { tools: { call: {} } } }

/**
 * The capabilities that a caller is offered. Tasks need their object; only a principal has a list of
 * them, because anonymous callers are not distinguished.
 */
export function offeredCapabilities(
  capabilities: ServerCapabilities,
  { services, request }: Pick<Call, 'services' | 'request'>,
): ServerCapabilities {
  const { tasks, extensions, ...rest } = capabilities
  if (tasks === undefined) return capabilities
  if (services.tasks() === undefined) {
    const { [TASKS_EXTENSION]: _, ...others } = extensions ?? {}
    return Object.keys(others).length === 0 ? rest : { ...rest, extensions: others }
  }
  return request.auth === undefined
    ? capabilities
    : { ...capabilities, tasks: { ...tasks, list: {} } }
}

/**
 * The capabilities with the extensions that the client of a session has offered, as far as they exist there: the
 * extension for tasks does not, because 2025-11-25 has tasks of its own.
 *
 * @param offered `capabilities` of `initialize`, as the client sent them
 */
export function withOfferedExtensions(
  { extensions = {}, ...rest }: ServerCapabilities,
  offered: unknown,
): ServerCapabilities {
  const named = isJsonObject(offered) && isJsonObject(offered.extensions) ? offered.extensions : {}
  const shared = Object.entries(extensions).filter(
    ([id]) => id !== TASKS_EXTENSION && Object.hasOwn(named, id) && isJsonObject(named[id]),
  )
  return shared.length === 0 ? rest : { ...rest, extensions: Object.fromEntries(shared) }
}

/** Returns the kinds of change that a server with these capabilities can publish. */
export function changeKinds(capabilities: ServerCapabilities): readonly ChangeKind[] {
  const { tools, prompts, resources } = capabilities
  return [
    ...(tools === undefined ? [] : (['tools_list_changed'] as const)),
    ...(prompts === undefined ? [] : (['prompts_list_changed'] as const)),
    ...(resources === undefined ? [] : (['resources_list_changed', 'resource_updated'] as const)),
  ]
}

/** Whether a tool returns files, which clients read as resources. */
export function hasFiles({ tools }: Pick<Definition, 'tools'>): boolean {
  return [...tools.values()].some(({ files }) => files)
}

/** Returns the capabilities of a definition without a hub. */
export function capabilitiesOf({
  tools,
  prompts,
  resources,
  templates,
  skills,
  handlers,
}: Definition): ServerCapabilities {
  const hasTasks = [...tools.values()].some(({ task }) => task !== undefined)
  const hasViews = [...tools.values()].some(({ info }) => info._meta?.[UI_META] !== undefined)
  const extensions = {
    ...(hasViews ? { [APPS_EXTENSION]: {} } : undefined),
    ...(hasTasks ? { [TASKS_EXTENSION]: {} } : undefined),
    ...(skills.size > 0 ? { [SKILLS_EXTENSION]: { directoryRead: true } } : undefined),
  }
  const completes =
    handlers.has('completion/complete') ||
    [...prompts.values()].some(({ complete }) => complete.size > 0) ||
    templates.some(({ template }) => Object.keys(template.complete).length > 0)
  return {
    logging: {},
    ...(completes ? { completions: {} } : undefined),
    ...(tools.size > 0 || handlers.has('tools/list') ? { tools: {} } : undefined),
    ...(hasTasks ? { tasks: TASKS } : undefined),
    ...(Object.keys(extensions).length > 0 ? { extensions } : undefined),
    ...(prompts.size > 0 || handlers.has('prompts/list') ? { prompts: {} } : undefined),
    ...(resources.size + templates.length > 0 || hasResources(handlers) || hasFiles({ tools })
      ? { resources: {} }
      : undefined),
  }
}

function hasResources(handlers: Definition['handlers']): boolean {
  return handlers.has('resources/list') || handlers.has('resources/templates/list')
}
