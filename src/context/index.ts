/** `edgeway/context`: finds the context of the handler that is running. Needs `node:async_hooks`. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setHandlerScope } from '../dispatch/handler-scope.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import type { FullContext } from '../server/context.ts'

const running = new AsyncLocalStorage<FullContext>()

setHandlerScope((ctx, run) => running.run(ctx, run, ctx))

/**
 * Returns the context of the handler that called this function, directly or through others, also after an
 * `await`: the handler of a tool, of a resource, of a prompt or of a completion, and middleware. Concurrent
 * calls never see the context of each other.
 *
 * The Worker needs the compatibility flag `nodejs_als` or `nodejs_compat`.
 *
 * @typeParam Env the Worker's bindings
 * @typeParam Props the data that `hooks.onIssue` attaches to a grant
 * @throws {Error} outside of a handler: at module scope, in a factory, and in `visible`
 * @see https://developers.cloudflare.com/workers/runtime-apis/nodejs/asynclocalstorage/
 */
export function getContext<Env = unknown, Props = GrantProps>(): FullContext<Env, Props> {
  const ctx = findContext()
  if (ctx === undefined) {
    throw new Error(
      'getContext() found no running handler: call it in the handler of a tool, resource, prompt or completion, or in middleware',
    )
  }
  // The runtime passes the environment and the props as they are; the author names their types.
  return ctx as FullContext<Env, Props>
}

/** The context of the handler that is running; undefined outside of a handler. */
export function findContext(): FullContext | undefined {
  return running.getStore()
}
