/**
 * The scope that handlers run in. It is empty unless `edgeway/context` is imported, which sets it: the main
 * entry does not depend on `node:async_hooks`.
 */
import type { FullContext } from '../server/context.ts'

/** Calls `run` so that the context can be found by everything that it calls. */
export type HandlerScope = <C extends FullContext, T>(ctx: C, run: (ctx: C) => T) => T

let scope: HandlerScope | undefined

export function setHandlerScope(enter: HandlerScope): void {
  scope = enter
}

export function runInScope<C extends FullContext, T>(ctx: C, run: (ctx: C) => T): T {
  return scope === undefined ? run(ctx) : scope(ctx, run)
}
