/**
 * A handler that can be called, and that is also the default export of a Worker. The platform and
 * `wrangler dev` take a function that is exported for a class, and construct it.
 */
import { WorkerEntrypoint } from '#runtime'
import type { WaitUntil } from '../transport/entrance.ts'

export type Serve = (request: Request, env?: unknown, ctx?: WaitUntil) => Promise<Response>

/** Returns a function that serves when it is called, and is a class of entrypoints when it is constructed. */
export function createHandlerEntrypoint(serve: Serve): Serve {
  // Not a class: only a function can also be called without `new`.
  function handler(request: Request | ExecutionContext, env?: unknown, ctx?: WaitUntil): unknown {
    return new.target === undefined
      ? serve(request as Request, env, ctx)
      : Reflect.construct(WorkerEntrypoint, [request, env], new.target)
  }
  handler.prototype = Object.create(WorkerEntrypoint.prototype, {
    constructor: { value: handler },
    fetch: {
      value(this: { readonly env: unknown; readonly ctx: WaitUntil }, request: Request) {
        return serve(request, this.env, this.ctx)
      },
    },
  })
  // The platform and workers-oauth-provider recognise an entrypoint by this chain.
  Object.setPrototypeOf(handler, WorkerEntrypoint)
  return handler as Serve
}
