/** What a function returns that may wait. */
export type MaybePromise<T> = T | Promise<T>
