/** Announces each secret that all callers share to a program that loads the Worker to examine it: `edgeway doctor --config`. */

const LISTENER = Symbol.for('edgeway.announce-shared-secret')

/** Does nothing in a deployed Worker, where no listener is set. */
export function announceSecrets(names: readonly string[]): void {
  const { [LISTENER]: listener } = globalThis as { readonly [LISTENER]?: unknown }
  if (typeof listener === 'function') for (const name of names) listener(name)
}
