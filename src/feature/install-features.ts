/** Installs the features of an app: checks the values, adds what they need, and creates the parts of each. */
import { type AnyFeature, type AppContext, FEATURE, type FeatureParts } from './feature.ts'
import { type FeatureOptionKind, featureOf, readFeatures } from './feature-values.ts'

const APP_FEATURES: FeatureOptionKind = {
  option: 'features',
  examples: 'sessions() and tasks()',
  symbol: FEATURE,
}

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
  const features = readFeatures<AnyFeature>(passed, APP_FEATURES)
  const installed = new Map<string, FeatureParts>()
  const install = (feature: AnyFeature) => {
    if (installed.has(feature.name)) return
    const { needs, create } = feature[FEATURE]
    // The author's value has the options.
    for (const needed of needs) install(features.get(needed.name) ?? needed)
    installed.set(feature.name, create(app))
  }
  for (const value of needed) {
    const feature = featureOf<AnyFeature>(value, APP_FEATURES)
    install(features.get(feature.name) ?? feature)
  }
  for (const feature of features.values()) install(feature)
  return installed
}
