/** Creates the value of a feature. */
import { FEATURE, type Feature, type FeatureSetup } from './feature.ts'

export function createFeature<const Name extends string, Api extends object = object>(
  name: Name,
  create: FeatureSetup<Api>['create'],
  needs: readonly Feature[] = [],
): Feature<Name, Api> {
  const feature = { name, [FEATURE]: { needs, create } }
  return feature as unknown as Feature<Name, Api>
}
