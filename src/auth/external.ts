/** Authorization by external issuers: this server verifies their tokens and issues none. */
import type { AuthConfig } from './auth-config.ts'
import { createAuthGate } from './auth-gate.ts'
import { createDpopProofs } from './resource/dpop.ts'
import { createExternalVerifier } from './resource/external-issuer.ts'
import { createResourceServer } from './resource/resource-server.ts'
import { createScopeTable, type ScopeOptions } from './resource/scopes.ts'

export interface IssuerOptions {
  /** Exactly as the issuer writes `iss`. An https URL. */
  readonly issuer: string
  /** The https URL of the issuer's key set. Default: `jwks_uri` of the issuer's metadata. */
  readonly jwksUri?: string
  /** The `aud` of the issuer's tokens. Default: the URL of the endpoint. */
  readonly audience?: string
  /** Accepted signature algorithms, asymmetric ones only. Default: RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[]
}

export interface ExternalOptions {
  /** Accepted issuers of access tokens. At least one. */
  readonly issuers: readonly IssuerOptions[]
  /**
   * The origin of this server, such as `https://mcp.example.com`. Default: the variable
   * `EDGEWAY_ORIGIN`; on a loopback host, the origin of the request.
   */
  readonly origin?: string
  /** The scopes of this server by name, each with its description. */
  readonly scopes: ScopeOptions
  /** Other URLs of the endpoint that are valid audiences, such as those of an earlier domain. */
  readonly aliases?: readonly string[]
}

/**
 * Accepts access tokens of external issuers: JWTs, verified with the keys that each issuer publishes.
 *
 * @throws {TypeError} from `createEdgeway`, when the origin is invalid. Other invalid options are
 *   reported to telemetry with the first request, which receives a 503.
 */
export function external(options: ExternalOptions): AuthConfig {
  const { origin, aliases = [] } = options
  return {
    type: 'external',
    createGate: (context) =>
      createAuthGate(context, {
        origin,
        aliases,
        routes: new Map(),
        build: ({ origin, resources }) => ({
          origin,
          resourceServer: createResourceServer({
            resources,
            scopes: createScopeTable(options.scopes),
            verifiers: options.issuers.map((issuer) =>
              createExternalVerifier({
                ...issuer,
                resources,
                fetch: (url, init) => fetch(url, init),
              }),
            ),
            checkDpop: createDpopProofs(),
            report: context.report,
          }),
        }),
      }),
  }
}
