/** Returns a promise that never settles; a new one each time: a shared one would retain everything that waits for it. */
export const never = (): Promise<never> => new Promise(() => undefined)
