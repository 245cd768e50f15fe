/** Authenticates the requests at the endpoint. Authorization implements it. */
import type { AuthInfo } from '../protocol/auth-info.ts'

/** The grant of an access token. */
export interface CallerGrant {
  readonly id: string
  /** The sealed key to the props of the grant, as the token carries it. */
  readonly sealedKey: string
}

/** An authenticated caller, and the grant that its access depends on. */
export interface Caller {
  readonly auth: AuthInfo
  /** Undefined for the token of another issuer, and for a token without a grant. */
  readonly grant: CallerGrant | undefined
  /** Sessions that were opened before this time have ended, in epoch milliseconds. */
  readonly validFrom?: number | undefined
}

/** The caller of a run, as it is kept for a run that resumes without a request. */
export interface CallerRecord extends Caller {
  /** When the caller was authenticated, in epoch milliseconds, accurate to one minute. */
  readonly at: number
}

/** Keeps the isolate alive for work that ends after the response: `waitUntil`. */
export type Background = (work: Promise<unknown>) => void

export interface Authenticator {
  /**
   * Authenticates a request at a path of the endpoint, or returns the refusal. Undefined for an
   * anonymous caller of a server that serves them too. Never rejects.
   *
   * @param background receives work that ends after the response
   * @param ctx the execution context, in which code in front of the handler may have named the caller
   */
  authenticate(
    request: Request,
    env: unknown,
    path: string,
    background: Background,
    ctx: unknown,
  ): Promise<Caller | Response | undefined>
  /** `WWW-Authenticate` for a 403, which names the scopes that the caller lacks. */
  challenge(
    request: Request,
    env: unknown,
    path: string,
    auth: AuthInfo,
    scopes: readonly string[],
  ): string
  /**
   * Whether the token of an authenticated request is still valid. Open streams ask repeatedly. Rejects when
   * that cannot be determined now.
   */
  isStillAuthorized(request: Request, env: unknown, ctx: unknown): Promise<boolean>
  /**
   * Checks the caller of an open stream anew, and makes the next requests of its subject in this isolate
   * wait for a check too. Returns the caller as it is now; undefined when its access has ended. Rejects when
   * that cannot be determined now. Absent where a caller cannot change while its stream is open.
   */
  recheck?(
    request: Request,
    env: unknown,
    path: string,
    subject: string,
  ): Promise<AuthInfo | undefined>
  /**
   * Resolves when the definitions of a subject are built anew everywhere, at the latest at the next check of
   * its access: at once in this isolate. Absent where a check says nothing that a definition depends on.
   */
  changeDefinition?(subject: string, env: unknown): Promise<void>
  /**
   * Returns the caller of a run with its present props; undefined when its access has ended. Rejects
   * when that cannot be determined now.
   */
  renewCaller(record: CallerRecord, env: unknown): Promise<AuthInfo | undefined>
}
