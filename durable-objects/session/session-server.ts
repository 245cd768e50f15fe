/** Whether requests and rows of a session object belong to the server of its class. */
import type { SessionClaims } from '../../src/ports/sessions.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { principalContext } from '../../src/protocol/principal.ts'
import type { OtherServerError } from '../../src/protocol/served-server.ts'
import { ServerGuard, type ServerGuardContext } from '../run/server-guard.ts'

/** A session id, and the caller who sent it. */
interface SentId {
  readonly sessionId: string
  readonly auth: AuthInfo | undefined
}

export class SessionServer extends ServerGuard {
  constructor(context: ServerGuardContext) {
    super(context, 'sessions')
  }

  /** The refusal of a POST. An earlier version of the Worker names no server, so the seal of the id is compared. */
  refusalOfPost(
    post: SentId,
    { server }: SessionClaims,
  ): OtherServerError | undefined | Promise<OtherServerError | undefined> {
    const refusal = this.refusalOf(server)
    if (refusal !== undefined) return refusal
    // A server with authorization has no such caller, also when another one has its name and its paths.
    if (post.auth === undefined && this.requiresCaller) return this.report(undefined)
    return server === undefined ? this.#refusalOfSeal(post) : undefined
  }

  /** Whether a session id is sealed for the audience of this server. */
  async isSealedHere({ sessionId, auth }: SentId): Promise<boolean> {
    const { services, audience } = this.deployment
    const context = principalContext(audience, auth)
    return (await services.sealer()?.open('session-id/1', sessionId, context)) !== undefined
  }

  async #refusalOfSeal(sent: SentId): Promise<OtherServerError | undefined> {
    return (await this.isSealedHere(sent)) ? undefined : this.report(undefined)
  }
}
