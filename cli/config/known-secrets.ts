/** The names of the variables and secrets that an environment is known to have. */
import type { ObservedEnvironment, ProjectObservations } from './project-observations.ts'

export function knownSecrets(
  { config }: ObservedEnvironment,
  { secretFiles }: ProjectObservations,
): readonly string[] {
  const local = secretFiles.flatMap(({ values }) =>
    [...values].flatMap(([name, value]) => (value === '' ? [] : name)),
  )
  const variables = Object.entries(config.vars).flatMap(([name, value]) =>
    value === '' ? [] : name,
  )
  return [...local, ...variables, ...(config.secrets?.required ?? [])]
}
