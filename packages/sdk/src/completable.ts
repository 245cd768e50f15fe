/** `completable()` of the SDK. */

/** Marks a schema with its completion, under the name that the SDK uses. */
const COMPLETABLE = Symbol.for('mcp.completable')

/** Completes a value: the text typed so far, and the arguments that are already filled in. */
export type CompleteCallback = (
  value: string,
  context?: { arguments?: Record<string, string> },
) => readonly string[] | Promise<readonly string[]>

/** Attaches a completion to the schema of a prompt argument. */
export function completable<S extends object>(schema: S, complete: CompleteCallback): S {
  Object.defineProperty(schema, COMPLETABLE, { value: { complete } })
  return schema
}

/** Whether {@link completable} was called for the schema. */
export function isCompletable(schema: unknown): boolean {
  return completionOf(schema) !== undefined
}

/** The completion of a schema, or of the schema inside of an optional one. */
export function completionOf(schema: unknown): CompleteCallback | undefined {
  for (const candidate of [schema, innerOf(schema)]) {
    if (typeof candidate !== 'object' || candidate === null) continue
    const found: { readonly complete: CompleteCallback } | undefined = Reflect.get(
      candidate,
      COMPLETABLE,
    )
    if (found !== undefined) return found.complete
  }
  return undefined
}

function innerOf(schema: unknown): unknown {
  const unwrap = (schema as { readonly unwrap?: () => unknown } | undefined)?.unwrap
  return typeof unwrap === 'function' ? unwrap.call(schema) : undefined
}
