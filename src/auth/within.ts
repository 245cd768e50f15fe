/** Work that is waited for no longer than a given time. */

/** What the work gives, or undefined when it takes longer. The work itself goes on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: number | null = null
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
