/** Secrets in an author's configuration: given, or named and read from the environment. */

/** The secret itself, or the name of the environment secret that holds it. */
export type Secret = string | { readonly secret: string }

/** Undefined where the environment has none of that name; an empty one is none. */
export function readSecret(secret: Secret | undefined, env: unknown): string | undefined {
  const value =
    typeof secret === 'object' ? (env as Record<string, unknown> | null)?.[secret.secret] : secret
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** @throws {Error} that names what is missing, for the author */
export function requireSecret(secret: Secret, env: unknown): string {
  const value = readSecret(secret, env)
  if (value !== undefined) return value
  throw new Error(
    typeof secret === 'object' ? `The secret ${secret.secret} is not set` : 'A secret is empty',
  )
}
