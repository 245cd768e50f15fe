/** The server with one tool behind `embedded()`, with a configured client for `token`. */
import { type EmbeddedOptions, embedded } from '../../../../src/auth/index.ts'
import type { FeatureOption } from '../../../../src/feature/index.ts'
import { rateLimits } from '../../../../src/features/rate-limits/index.ts'
import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

type AuthLimits = NonNullable<EmbeddedOptions['limits']>

/**
 * @param limits ages of a cached grant check. Default: Edgeway's own
 * @param features besides the rate limits, which every authorization server has
 */
export function protect<const Features extends readonly FeatureOption[] = readonly []>(
  limits: AuthLimits = {},
  ...features: Features
) {
  return serve([echo], {
    // All load is of one principal. The limit is checked, and never reached.
    features: [rateLimits({ classes: { principal: { limit: 1_000_000_000 } } }), ...features],
    auth: embedded({
      scopes: { read: 'Read' },
      clients: [
        {
          id: 'bench',
          // The SHA-256 digest of `bench-secret`.
          secretHash: 'AVlDipI11qveOOSfuYlEZg0GfWubA9io9O5OUi_rYss',
          grantTypes: ['client_credentials'],
          scopes: ['read'],
        },
      ],
      limits,
    }),
  })
}
