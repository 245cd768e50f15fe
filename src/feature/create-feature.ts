/** Creates the value of a feature. */
import { type AnyFeature, FEATURE, type Feature, type FeatureSetup } from './feature.ts'

export function createFeature<
  const Name extends string,
  Api extends object = object,
  Brings extends string = never,
>(
  name: Name,
  create: FeatureSetup<Api>['create'],
  needs: readonly AnyFeature[] = [],
): Feature<Name, Api, Brings> {
  const feature = { name, [FEATURE]: { needs, create } }
  return feature as unknown as Feature<Name, Api, Brings>
}
