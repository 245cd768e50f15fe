/** Creates the value of a feature. */
import { FEATURE, type Feature, type FeatureSetup } from './feature.ts'

export function createFeature<
  const Name extends string,
  ClassName extends string = never,
  Api extends object = object,
>(
  name: Name,
  create: FeatureSetup<ClassName, Api>['create'],
  needs: readonly Feature[] = [],
): Feature<Name, ClassName, Api> {
  const feature = { name, [FEATURE]: { needs, create } }
  return feature as unknown as Feature<Name, ClassName, Api>
}
