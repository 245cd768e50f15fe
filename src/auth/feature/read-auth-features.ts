/** Reads the option `features` of `embedded()` and `external()`. */
import { readFeatures } from '../../feature/feature-values.ts'
import { AUTH_FEATURE, type AuthFeature } from './auth-feature.ts'

/** @throws {TypeError} for anything that is no feature, and for two values of one */
export function readAuthFeatures(
  passed: unknown = [],
  type: 'embedded' | 'external',
  examples: string,
): readonly AuthFeature[] {
  const option = `${type}({ features })`
  if (!Array.isArray(passed)) {
    throw new TypeError(`${option} must be a list of values like ${examples}`)
  }
  return [...readFeatures<AuthFeature>(passed, { option, examples, symbol: AUTH_FEATURE }).values()]
}
