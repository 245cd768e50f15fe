/** Secrets in the author's configuration: given as text, or by the name of an environment secret. */

/** The secret itself, or the name of the environment secret that holds it. */
export type Secret = string | { readonly secret: string }

/** Undefined when the secret is missing or empty. */
export function readSecret(secret: Secret | undefined, env: unknown): string | undefined {
  const value =
    typeof secret === 'object' ? (env as Record<string, unknown> | null)?.[secret.secret] : secret
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** @throws {Error} with the name of the missing secret */
export function requireSecret(secret: Secret, env: unknown): string {
  const value = readSecret(secret, env)
  if (value !== undefined) return value
  throw new Error(
    typeof secret === 'object' ? `The secret ${secret.secret} is not set` : 'A secret is empty',
  )
}
