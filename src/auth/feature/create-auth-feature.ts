/** Creates the value of a feature of `embedded()`. */
import { AUTH_FEATURE, type AuthFeature, type AuthFeatureSetup } from './auth-feature.ts'

export function createAuthFeature<const Name extends string>(
  name: Name,
  setup: AuthFeatureSetup,
): AuthFeature<Name> {
  return { name, [AUTH_FEATURE]: setup }
}
