/** Middleware around the handlers of a definition: for audit, quotas, redaction and tenant checks. */
import type { GrantProps } from '../protocol/auth-info.ts'
import { changeHandlers, type Handlers } from './change-handlers.ts'
import type { Context, FullContext, NoMembers } from './context.ts'
import type { PromptDefinition, TemplateDefinition, ToolDefinition } from './definition.ts'

/** A call of a handler: of a tool, of a prompt, or of the read callback of a resource or template. */
export interface HandlerCall<Env = unknown, Props = GrantProps, Members = NoMembers> {
  readonly kind: 'tool' | 'prompt' | 'resource'
  /** The name of the tool or prompt; the URI that is read. */
  readonly name: string
  /** The validated arguments; the variables of a template; `{}` where there are none. */
  readonly args: unknown
  readonly ctx: Context<Env, Props, Members>
}

/**
 * Runs around each call of a handler, after the checks of visibility, scopes and arguments. It returns
 * what the handler returned (`await next()`), or a result of its own. A thrown `ToolError` refuses the
 * call. Like the handler itself it runs again when an answer arrives; `ctx.step` runs work once. `next`
 * does not return while the handler waits for an answer.
 */
export type Middleware<Env = unknown, Props = GrantProps, Members = NoMembers> = (
  call: HandlerCall<Env, Props, Members>,
  next: () => Promise<unknown>,
) => unknown

/** Wraps every handler. The first middleware is the outermost. Without middleware nothing is wrapped. */
export function applyMiddleware(handlers: Handlers, middleware: readonly Middleware[]): Handlers {
  if (middleware.length === 0) return handlers
  const around = (call: HandlerCall, handler: () => unknown): unknown => {
    const runFrom = (index: number): unknown => {
      const current = middleware[index]
      return current === undefined ? handler() : current(call, async () => runFrom(index + 1))
    }
    return runFrom(0)
  }
  const runAround =
    (kind: 'tool' | 'prompt', { info, input, run }: ToolDefinition | PromptDefinition) =>
    (args: unknown, ctx: FullContext) =>
      around({ kind, name: info.name, args: input === undefined ? {} : args, ctx }, () =>
        run(args, ctx),
      )
  return changeHandlers(handlers, {
    tool: (tool) => ({ ...tool, run: runAround('tool', tool) }),
    prompt: (prompt) => ({ ...prompt, run: runAround('prompt', prompt) }),
    resource: (resource) => ({
      ...resource,
      read: (uri, ctx) =>
        around({ kind: 'resource', name: uri.href, args: {}, ctx }, () => resource.read(uri, ctx)),
    }),
    template: (template) => ({
      ...template,
      read: (uri, args, ctx) =>
        around({ kind: 'resource', name: uri.href, args, ctx }, () =>
          template.read(uri, args, ctx),
        ) as ReturnType<TemplateDefinition['read']>,
    }),
  })
}
