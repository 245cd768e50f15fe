/** One HTTP request at the endpoint, with the results of the host, origin and token checks. */

import type { CallServices } from '../dispatch/call.ts'
import type { CodecOf } from '../dispatch/codecs.ts'
import type { DefinedDeployment } from '../dispatch/deployment.ts'
import type { Dispatchers } from '../dispatch/dispatcher.ts'
import type { Recording } from '../dispatch/recording.ts'
import type { Limits } from '../ports/app-limits.ts'
import type { CallerGrant } from '../ports/authenticator.ts'
import type { RateLimits } from '../ports/rate-limits.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { FactoryParams } from '../protocol/factory-params.ts'
import type { Accepted } from './accept.ts'
import type { TransportExtensions } from './extensions.ts'
import type { ExtraHeaders } from './respond.ts'

/** What is the same for every part of an app. */
export interface AppSettings {
  /** The configured name of this server in what it seals. Never read from a request. */
  readonly audience: string
  readonly codecOf: CodecOf
  readonly limits: Limits
  readonly strict: boolean
  /** Whether the revisions of the session eras are refused. */
  readonly modernOnly: boolean
  readonly report: TelemetrySink
  readonly deploymentOf: (env: unknown) => DefinedDeployment
}

/** What is the same for every exchange. */
export interface Endpoint extends AppSettings {
  /** What the features of the app add to the transport. */
  readonly extensions: TransportExtensions
  readonly headerMismatch: 'strict' | 'trust-body'
  /** Whether browsers attach the credentials by themselves. */
  readonly usesCookies: boolean
  /** The header of the author's choice that carries the credentials. */
  readonly credentialHeader: string | undefined
  /** Whether a POST without `Content-Type` is refused: a foreign page can send one without being asked. */
  readonly requiresContentType: boolean
  /**
   * The origin of the URLs that this server makes, which the host of a request can only select.
   *
   * @throws {TypeError} when the configured one is invalid
   */
  readonly originOf: (request: Request, env: unknown) => string
}

export interface Exchange {
  readonly endpoint: Endpoint
  readonly request: Request
  readonly env: unknown
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly services: CallServices
  /** Undefined when the app has lifted all limits. */
  readonly rateLimits: () => RateLimits | undefined
  /** The definition for this caller; undefined before `define-exchange.ts` has found it. */
  readonly dispatchers: Dispatchers | undefined
  /** The values of the path pattern and of the named query parameters. */
  readonly factoryParams: FactoryParams
  /** The caller; undefined on a server without authorization. */
  readonly auth: AuthInfo | undefined
  /** The grant of the caller's token, if it has one. */
  readonly grant: CallerGrant | undefined
  /** Sessions that were opened before this time have ended, in epoch milliseconds. */
  readonly validFrom: number | undefined
  /** Checks the caller's grant again; undefined on a server without authorization. */
  readonly isStillAuthorized: (() => Promise<boolean>) | undefined
  /** Returns the caller as it is now, past what this isolate has cached; undefined where it cannot change. */
  readonly recheck: (() => Promise<AuthInfo | undefined>) | undefined
  /** Returns `WWW-Authenticate` for scopes that the caller's token lacks. */
  readonly challenge: (scopes: readonly string[]) => string
  readonly accepted: Accepted
  /** `MCP-Protocol-Version`. */
  readonly versionHeader: string | null
  readonly extraHeaders: ExtraHeaders
  /** Undefined when nothing reads the request. */
  readonly recording: Recording | undefined
}

/** An exchange whose method runs here and not in a session object, with the definition for its caller. */
export interface DefinedExchange extends Exchange {
  readonly dispatchers: Dispatchers
}
