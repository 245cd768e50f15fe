/** Checks whether a caller sees a definition and has its scopes. */

import type { CalledTool, TaskAccess, TaskSnapshot } from '../ports/tasks.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import { insufficientScope } from '../protocol/protocol-error.ts'
import { changeHandlers } from '../server/change-handlers.ts'
import type { Definition, ToolDefinition } from '../server/definition.ts'
import type { CompiledSchema } from '../server/schema/compile.ts'
import type { Visible } from '../server/visibility.ts'

interface Guarded {
  readonly visible: Visible | undefined
}

export function isVisible({ visible }: Guarded, auth: AuthInfo | undefined): boolean {
  return visible === undefined || visible(auth)
}

/** A definition as clients receive it. Called in a request, in which functions of the author may run. */
export function sentInfo<Info>({
  info,
  input,
}: {
  readonly info: Info
  readonly input?: Pick<CompiledSchema, 'confirmDefaults'> | undefined
}): Info {
  input?.confirmDefaults?.()
  return info
}

/** The tools that the list has, for callers who see them. */
export const listedTools = (tools: Definition['tools']): readonly ToolDefinition[] =>
  [...tools.values()].filter(({ deprecated }) => deprecated?.listed !== false)

/** Wraps every `visible` callback: one that throws hides its definition and is reported to telemetry. */
export function guardVisibility(definition: Definition, report: TelemetrySink): Definition {
  const guard = <T extends Guarded>(subject: string, guarded: T): T => {
    const { visible } = guarded
    if (visible === undefined) return guarded
    const safely: Visible = (auth) => {
      try {
        return visible(auth)
      } catch (error) {
        report({ type: 'handler-error', subject, reference: 'visible', error })
        return false
      }
    }
    return { ...guarded, visible: safely }
  }
  const guarded = changeHandlers(definition, {
    tool: (tool) => guard(`Tool ${tool.info.name}`, tool),
    prompt: (prompt) => guard(`Prompt ${prompt.info.name}`, prompt),
    resource: (resource) => guard(`Resource ${resource.info.uri}`, resource),
    template: (template) => guard(template.info.uriTemplate, template),
  })
  return { ...definition, ...guarded }
}

/** Whether the caller's token has all scopes of a definition. */
export function hasScopes(
  { scopes }: { readonly scopes: readonly string[] },
  auth: AuthInfo | undefined,
): boolean {
  return scopes.length === 0 || scopes.every((scope) => auth?.scopes.includes(scope) === true)
}

/** @throws {ProtocolError} with all scopes of the definition, if the token lacks one */
export function checkScopes(
  definition: { readonly scopes: readonly string[] },
  auth: AuthInfo | undefined,
): void {
  if (!hasScopes(definition, auth)) throw insufficientScope(definition.scopes)
}

/** The tool of a task, and those that its handler has called: their results are in its state. */
export function calledTools({ tool, scopes, calls = [] }: TaskAccess): readonly CalledTool[] {
  return [{ tool, scopes }, ...calls]
}

/**
 * Whether a caller may access a task of its principal: it sees each tool that the task has called, and has the scopes that
 * the tool requires now and those that it required when it was called. The tool of another caller's factory may have the
 * same name and other scopes.
 */
export function mayAccessTask(
  { tools }: Pick<Definition, 'tools'>,
  { access }: Pick<TaskSnapshot, 'access'>,
  auth: AuthInfo | undefined,
): boolean {
  return calledTools(access).every((called) => {
    const tool = tools.get(called.tool)
    if (tool === undefined || !isVisible(tool, auth)) return false
    return hasScopes(tool, auth) && hasScopes(called, auth)
  })
}
