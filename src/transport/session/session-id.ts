/**
 * Session ids: the claims of a session, sealed. Nothing is stored for an id, so a deploy or an eviction
 * loses nothing, and a forged or foreign id is refused in the Worker and wakes no object.
 */
import { LruMap } from '../../platform/lru-map.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { SessionClaims } from '../../ports/sessions.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import type { Implementation } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'

/** Maximum length of an id. Proxies refuse headers that are much longer. */
const MAX_ID_LENGTH = 8192

/** Maximum size of a client's capabilities in an id, in bytes of JSON. */
const MAX_CAPABILITIES_BYTES = 2048

/** Maximum length of a client's name, version and title in an id, in UTF-16 code units. */
const MAX_INFO_FIELD_LENGTH = 128

/** Maximum number of opened ids that one isolate caches. */
const MAX_CACHED_IDS = 1000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Returns the context that binds a seal to a principal at this server: issuer, subject and resource. Not
 * to the token, which is refreshed, and not to the client id: a client that registers anew continues.
 */
export function principalContext(audience: string, auth: AuthInfo | undefined): string {
  if (auth === undefined) return JSON.stringify([audience])
  const { issuer, subject, resource } = auth
  return JSON.stringify([audience, issuer, subject, resource])
}

export async function sealSessionId(
  sealer: Sealer,
  claims: SessionClaims,
  context: string,
  deterministic = false,
): Promise<string> {
  const plaintext = encoder.encode(JSON.stringify(claims))
  return sealer.seal('session-id', plaintext, context, { deterministic })
}

/** Returns the name of a new session or stream: 128 random bits. */
export function createSessionName(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

/** Reduces a client's introduction to what fits into an id: names for display, and capabilities. */
export function abridgeClient(
  info: Implementation | undefined,
  capabilities: ClientCapabilities,
): Pick<SessionClaims, 'clientInfo' | 'clientCapabilities'> {
  const short = (text: string) => text.slice(0, MAX_INFO_FIELD_LENGTH).toWellFormed()
  const clientInfo = info && {
    name: short(info.name),
    version: short(info.version),
    ...(typeof info.title === 'string' ? { title: short(info.title) } : undefined),
  }
  const fits = encoder.encode(JSON.stringify(capabilities)).length <= MAX_CAPABILITIES_BYTES
  return { clientInfo, clientCapabilities: fits ? capabilities : bareCapabilities(capabilities) }
}

/** Reduces capabilities to the asks that the client supports. */
function bareCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
  const bare: Record<string, JsonObject> = {}
  for (const name of ['elicitation', 'sampling', 'roots']) {
    const value = capabilities[name]
    if (!isJsonObject(value)) continue
    const modes = ['form', 'url', 'tools', 'context'].filter((mode) => isJsonObject(value[mode]))
    bare[name] = Object.fromEntries(modes.map((mode) => [mode, {}]))
  }
  return bare
}

/** Opens ids and caches the claims: a client sends the same id with every request. */
export class SessionIds {
  readonly #opened = new LruMap<SessionClaims>(MAX_CACHED_IDS)

  /** Returns undefined for an id that is expired or was not sealed for this principal. */
  async open(sealer: Sealer, id: string, context: string): Promise<SessionClaims | undefined> {
    if (id.length > MAX_ID_LENGTH) return undefined
    const key = `${id} ${context}`
    const cached = this.#opened.peek(key)
    const claims = cached ?? (await openSealed(sealer, id, context))
    if (claims === undefined) return undefined
    if (claims.expiresAt <= Date.now()) {
      this.#opened.delete(key)
      return undefined
    }
    if (cached === undefined) this.#opened.set(key, claims)
    return claims
  }
}

async function openSealed(
  sealer: Sealer,
  id: string,
  context: string,
): Promise<SessionClaims | undefined> {
  const plaintext = await sealer.open('session-id', id, context)
  return plaintext && (JSON.parse(decoder.decode(plaintext)) as SessionClaims)
}
