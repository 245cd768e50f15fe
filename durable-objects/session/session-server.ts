/** Whether requests and rows of a session object belong to the server of its class. */
import type { SessionClaims } from '../../src/ports/sessions.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import type { OtherServerError } from '../../src/protocol/served-server.ts'
import { ServerGuard, type ServerGuardContext } from '../run/server-guard.ts'

export class SessionServer extends ServerGuard {
  constructor(context: ServerGuardContext) {
    super(context, 'sessions')
  }

  refusalOfPost(
    auth: AuthInfo | undefined,
    { server }: SessionClaims,
  ): OtherServerError | undefined {
    const refusal = this.refusalOf(server)
    if (refusal !== undefined) return refusal
    // A server with authorization has no such caller, also when another one has its name and its paths.
    return auth === undefined && this.requiresCaller ? this.report(undefined) : undefined
  }
}
