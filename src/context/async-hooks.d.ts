/** The part of `node:async_hooks` that Workers have and `src/context` uses. */
declare module 'node:async_hooks' {
  export class AsyncLocalStorage<T> {
    run<R, Args extends unknown[]>(store: T, callback: (...args: Args) => R, ...args: Args): R
    getStore(): T | undefined
  }
}
