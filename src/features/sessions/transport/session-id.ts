/**
 * Session ids: the claims of a session, sealed. Nothing is stored for an id, so a deploy or an eviction
 * loses nothing, and a forged or foreign id is refused in the Worker and wakes no object.
 */
import { LruMap } from '../../../platform/lru-map.ts'
import { randomId } from '../../../platform/random-token.ts'
import { openJson, type Sealer, sealJson } from '../../../ports/sealer.ts'
import type { SessionClaims } from '../../../ports/sessions.ts'
import { NO_CAPABILITIES } from '../../../protocol/capabilities.ts'
import { type FactoryParams, NO_PARAMS } from '../../../protocol/factory-params.ts'

/** Maximum length of an id. Proxies refuse headers that are much longer. */
const MAX_ID_LENGTH = 8192

/** Maximum number of opened ids that one isolate caches. */
const MAX_CACHED_IDS = 1000

/**
 * With the transport of 2024-11-05, every connection of a session has the same URL for messages, so its seal is
 * deterministic. The random name of the session keeps the seal unpredictable.
 */
export function sealSessionId(
  sealer: Sealer,
  claims: SessionClaims,
  context: string,
): Promise<string> {
  const deterministic = claims.transport === 'http-sse'
  return sealJson(sealer, 'session-id/1', claims, context, { deterministic })
}

/** The claims of a new session, which names no client before its handshake. */
export function newClaims(
  transport: SessionClaims['transport'],
  params: FactoryParams,
  expiresAt: number,
): SessionClaims {
  return {
    name: randomId(),
    transport,
    revision: undefined,
    clientInfo: undefined,
    clientCapabilities: NO_CAPABILITIES,
    expiresAt,
    ...(params !== NO_PARAMS && { params }),
  }
}

/** Opens ids and caches the claims: a client sends the same id with every request. */
export class SessionIds {
  readonly #opened = new LruMap<SessionClaims>(MAX_CACHED_IDS)

  /** Returns undefined for an id that is expired or was not sealed for this principal. */
  async open(sealer: Sealer, id: string, context: string): Promise<SessionClaims | undefined> {
    const key = `${id} ${context}`
    const cached = this.#opened.peek(key)
    const claims =
      cached ?? (await openJson<SessionClaims>(sealer, 'session-id/1', id, context, MAX_ID_LENGTH))
    if (claims === undefined) return undefined
    if (claims.expiresAt <= Date.now()) {
      this.#opened.delete(key)
      return undefined
    }
    if (cached === undefined) this.#opened.set(key, claims)
    return claims
  }
}
