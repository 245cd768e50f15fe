/** Whether requests and rows of a session object belong to the server of its class. */
import type { Deployment } from '../../src/dispatch/call.ts'
import type { SessionClaims } from '../../src/ports/sessions.ts'
import type { AuthInfo } from '../../src/protocol/auth-info.ts'
import { principalContext } from '../../src/protocol/principal.ts'
import type { OtherServerError } from '../../src/protocol/served-server.ts'
import { ServerGuard } from '../run/server-guard.ts'
import type { ClientState } from './client-state.ts'

export interface SessionServerContext {
  readonly server: string
  readonly client: ClientState
  readonly deployment: Pick<Deployment, 'audience' | 'services' | 'report'>
  /** Whether every caller has a token. */
  readonly requiresCaller: boolean
}

/** A session id, and the caller who sent it. */
interface SentId {
  readonly sessionId: string
  readonly auth: AuthInfo | undefined
}

export class SessionServer {
  readonly #guard: ServerGuard
  readonly #context: SessionServerContext
  /** The claims of the last POST, which are the same each time. */
  #claimsText: string | undefined
  #claimedServer: string | undefined

  constructor(context: SessionServerContext) {
    this.#context = context
    this.#guard = new ServerGuard(context.server, 'sessions')
  }

  /** Whether the rows may be read, and their runs resumed. */
  get ownsRows(): boolean {
    return this.#guard.accepts(this.#context.client.storedServer)
  }

  /** Reports rows of another server. They stay: a deployment with the right class continues with them. */
  reportRows(): void {
    this.#report(this.#context.client.storedServer)
  }

  /**
   * Returns the error of a request of another server, which it reports. A request of this server for rows of another
   * one has no error: its session is unknown here (`ownsRows`), as when the only path of the server was replaced.
   *
   * @param server of the request; undefined for one of an earlier version, which the rows may belong to
   */
  refusalOf(server: string | undefined): OtherServerError | undefined {
    const foreign = server ?? this.#context.client.storedServer
    return this.#guard.accepts(foreign) ? undefined : this.#report(foreign)
  }

  /** @throws {OtherServerError} for a request of another server */
  check(server: string | undefined): void {
    const refusal = this.refusalOf(server)
    if (refusal !== undefined) throw refusal
  }

  /** The same for a POST. An earlier version of the Worker names no server, so the seal of the id is compared. */
  refusalOfPost(
    post: SentId & { readonly claims: string },
  ): OtherServerError | undefined | Promise<OtherServerError | undefined> {
    const server = this.#serverOf(post.claims)
    const refusal = this.refusalOf(server)
    if (refusal !== undefined) return refusal
    // A server with authorization has no such caller, also when another one has its name and its paths.
    if (post.auth === undefined && this.#context.requiresCaller) return this.#report(undefined)
    return server === undefined ? this.#refusalOfSeal(post) : undefined
  }

  /** Whether a session id is sealed for the audience of this server. */
  async isSealedHere({ sessionId, auth }: SentId): Promise<boolean> {
    const { services, audience } = this.#context.deployment
    const context = principalContext(audience, auth)
    return (await services.sealer()?.open('session-id/1', sessionId, context)) !== undefined
  }

  #serverOf(claims: string): string | undefined {
    if (claims !== this.#claimsText) {
      this.#claimedServer = (JSON.parse(claims) as SessionClaims).server
      this.#claimsText = claims
    }
    return this.#claimedServer
  }

  async #refusalOfSeal(sent: SentId): Promise<OtherServerError | undefined> {
    return (await this.isSealedHere(sent)) ? undefined : this.#report(undefined)
  }

  #report(server: string | undefined): OtherServerError {
    const error = this.#guard.error(server)
    this.#context.deployment.report({ type: 'internal-error', error })
    return error
  }
}
