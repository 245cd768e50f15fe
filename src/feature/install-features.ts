/** Installs the features of an app: checks the values, adds what they need, and creates the parts of each. */
import { type AppContext, FEATURE, type Feature, type FeatureParts } from './feature.ts'

/**
 * @param needed features that the app has all the same
 * @returns the parts by name, each after those of the features that it needs
 * @throws {TypeError} for anything that is no feature, and for two values of one
 */
export function installFeatures(
  passed: readonly unknown[],
  needed: readonly unknown[],
  app: AppContext,
): ReadonlyMap<string, FeatureParts> {
  const features = new Map<string, Feature>()
  const own = passed.filter((value) => value !== undefined && value !== null && value !== false)
  for (const value of own) {
    const feature = featureOf(value)
    if (features.has(feature.name)) {
      throw new TypeError(`features: ${feature.name}() is passed twice`)
    }
    features.set(feature.name, feature)
  }
  const installed = new Map<string, FeatureParts>()
  const install = (feature: Feature) => {
    if (installed.has(feature.name)) return
    const { needs, create } = feature[FEATURE]
    // The author's value has the options.
    for (const needed of needs) install(features.get(needed.name) ?? needed)
    installed.set(feature.name, create(app))
  }
  for (const value of needed) {
    const feature = featureOf(value)
    install(features.get(feature.name) ?? feature)
  }
  for (const feature of features.values()) install(feature)
  return installed
}

/** @throws {TypeError} for anything else, and for a value of another copy of the package */
function featureOf(value: unknown): Feature {
  if (typeof value === 'object' && value !== null && FEATURE in value) return value as Feature
  if (typeof value === 'function') {
    throw new TypeError(`features: ${value.name} is a function. Pass its value: ${value.name}()`)
  }
  const { name } = (value ?? {}) as { readonly name?: unknown }
  const isForeign =
    typeof value === 'object' &&
    value !== null &&
    Object.getOwnPropertySymbols(value).some(
      ({ description }) => description === FEATURE.description,
    )
  throw new TypeError(
    isForeign
      ? `features: ${String(name)}() comes from another copy of the package edgeway. Install it once`
      : 'features must be a list of values like sessions() and tasks()',
  )
}
