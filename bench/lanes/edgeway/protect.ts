/** The one-tool server behind its own authorization server, with a client of its own for `token`. */
import { embedded } from '../../../src/index.ts'
import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

/** @param grantCheckMs at most between two looks at a grant; Edgeway's default where undefined */
export function protect(grantCheckMs?: number) {
  return serve([echo], {
    auth: embedded({
      scopes: { read: 'Read' },
      clients: [
        {
          id: 'bench',
          // SHA-256 of `bench-secret`.
          secretHash: 'AVlDipI11qveOOSfuYlEZg0GfWubA9io9O5OUi_rYss',
          grantTypes: ['client_credentials'],
          scopes: ['read'],
        },
      ],
      limits: grantCheckMs === undefined ? {} : { grantCheckMs },
    }),
  })
}
