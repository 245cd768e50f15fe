/** `embedded()`: the authorization server together with the objects that store its accounts and keys. */

import { resolveAccountLimits } from '../durable-objects/account/account-limits.ts'
import { AccountObject } from '../durable-objects/account/account-object.ts'
import { DocumentsObject } from '../durable-objects/account/documents-object.ts'
import { ThrottleObject } from '../durable-objects/account/throttle-object.ts'
import { createAuthServices } from '../durable-objects/auth-services.ts'
import { accountLimits, createEmbeddedGate } from './auth/embedded.ts'
import type { EmbeddedOptions } from './auth/embedded-options.ts'
import { describedScopes } from './auth/resource/scopes.ts'
import { resolveAuthLimits } from './auth/server/auth-limits.ts'
import type { AuthConfig } from './feature/auth-config.ts'
import { keyring } from './features/keyring/keyring.ts'
import { rateLimits } from './features/rate-limits/rate-limits.ts'
import { HEALTH_NAME } from './ports/health.ts'
import { isJsonObject } from './protocol/json.ts'
import { listedOrigins } from './security/configured-origins.ts'

/** The value of {@link embedded}. */
export interface EmbeddedAuth extends AuthConfig {
  readonly type: 'embedded'
}

/**
 * Runs an authorization server beside the endpoint and accepts its access tokens.
 *
 * @throws {TypeError} from `createEdgeway`, when an option is invalid, and at once when a limit is. A
 *   missing binding is reported to telemetry with the first request, which receives a 503.
 */
export function embedded(options: EmbeddedOptions): EmbeddedAuth {
  if (!isJsonObject(options)) throw new TypeError('embedded() needs { scopes }')
  const limits = resolveAccountLimits(accountLimits(options.limits))
  return {
    parts: {
      account: { create: (state, env) => new AccountObject(state, env, limits), options: limits },
      throttle: { create: (state, env) => new ThrottleObject(state, env, limits), options: limits },
      documents: { create: (state, env) => new DocumentsObject(state, env) },
    },
    health: {
      part: 'account',
      call: (objects) =>
        objects.of<AccountObject>('account')?.named(HEALTH_NAME).hasSignInEnded(HEALTH_NAME),
    },
    type: 'embedded',
    needs: [keyring(), rateLimits()],
    login: options.login,
    origins: listedOrigins(options),
    scopeNames: Object.keys(options.scopes ?? {}),
    scopes: describedScopes(options.scopes),
    grantsAllScopes: options.scopesOf === undefined,
    lifetimes: resolveAuthLimits(options.limits),
    createGate: (context) =>
      createEmbeddedGate(options, createAuthServices(context.objectsIn))(context),
  }
}
