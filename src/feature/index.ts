/** `edgeway/feature`: features of your own. */
export {
  type DefinedFeature,
  defineFeature,
  type FeatureDefinition,
  type FeatureObjectClass,
  type FeatureRoute,
  type MethodOptions,
  method,
} from './define-feature.ts'
export type { Feature, FeatureOption } from './feature.ts'
export type { FeatureMethod } from './feature-methods.ts'
