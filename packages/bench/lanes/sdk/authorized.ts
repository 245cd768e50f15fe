/** The official SDK behind `OAuthProvider`, whose verified token it receives as `authInfo`. */
import type { OAuthResourceContext } from '@cloudflare/workers-oauth-provider'
import { protect } from '../oauth-provider/protect.ts'
import { echo } from '../tools/echo.ts'
import { serve } from './serve.ts'

const handler = serve([echo])

export default protect({
  fetch(request, _env, ctx) {
    const { token, clientId = '', scope, expiresAt } = (ctx as OAuthResourceContext<unknown>).auth
    return handler.fetch(request, { authInfo: { token, clientId, scopes: scope, expiresAt } })
  },
})
