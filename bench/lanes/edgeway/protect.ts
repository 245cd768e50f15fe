/** The server with one tool behind `embedded()`, with a configured client for `token`. */
import { type EmbeddedOptions, embedded } from '../../../src/index.ts'
import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

type AuthLimits = NonNullable<EmbeddedOptions['limits']>

/** @param limits ages of a cached grant check. Default: Edgeway's own */
export function protect(limits: AuthLimits = {}) {
  return serve([echo], {
    // All load is of one principal. The limit is checked, and never reached.
    rateLimits: { classes: { principal: { limit: 1_000_000_000 } } },
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
