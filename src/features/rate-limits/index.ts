/** `edgeway/rate-limits`: the feature, its options and its types. */

export type { NetworkClass } from '../../ports/rate-limits.ts'
export { HOSTED_NETWORKS } from './limits/hosted-networks.ts'
export {
  type BuiltInClass,
  DEFAULT_RATE_LIMITS,
  type RateLimit,
  type RateLimitOptions,
} from './limits/limit-classes.ts'
export { type RateLimitsFeature, rateLimits } from './rate-limits.ts'
