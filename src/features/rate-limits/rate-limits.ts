/**
 * `rateLimits()`: how many requests a principal, a network and the callers of a tool may send.
 *
 * A request is authenticated before it is counted: a flood from a network must not refuse the valid tokens behind the
 * same address. A forged token costs no object and no fetch. A request without an address, or from a loopback address,
 * is not counted by network.
 */
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { REQUEST_LIMITS } from '../../transport/rate-limits.ts'
import type { RateLimitOptions } from './limits/limit-classes.ts'
import { createRateLimits } from './limits/rate-limits.ts'

export type RateLimitsFeature = Feature<'rateLimits'>

/**
 * Counts requests by the bindings `MCP_LIMIT_<CLASS>`, and without them in each isolate.
 *
 * @param options false lifts all limits
 * @throws {TypeError} from `createEdgeway`, for an invalid option
 */
export function rateLimits(options: RateLimitOptions | false = {}): RateLimitsFeature {
  return createFeature('rateLimits', (app) => createParts(app, options))
}

function createParts({ report }: AppContext, options: RateLimitOptions | false): FeatureParts {
  const limits = createRateLimits(options, report)
  return {
    services: { rateLimits: limits.of },
    transport: { limits: REQUEST_LIMITS },
    checkDefinition: ({ tools }) => limits.checkTools(tools),
    announced: { limitPeriods: limits.periods },
  }
}
