/**
 * Session ids: what a session is, sealed. Nothing is stored for one, so nothing is lost with a
 * deploy or an eviction, and a forged or foreign one is refused without waking any object.
 */
import { LruMap } from '../../platform/lru-map.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { SessionClaims } from '../../ports/sessions.ts'
import type { AuthInfo } from '../../protocol/auth-info.ts'
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import type { Implementation } from '../../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'

/** Longest id that is looked at: headers much longer are refused by whatever stands in between. */
const MAX_ID_LENGTH = 8192

/** What of a client's own words is carried along in every id: bytes of JSON, and UTF-16 code units. */
const MAX_CAPABILITIES_BYTES = 2048
const MAX_INFO_FIELD_LENGTH = 128

/** Ids that one isolate remembers having opened. */
const MAX_REMEMBERED = 1000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What a seal is bound to: the same principal at the same server, whatever token it holds. */
export function principalContext(audience: string, auth: AuthInfo | undefined): string {
  if (auth === undefined) return JSON.stringify([audience])
  const { issuer, subject, clientId, resource } = auth
  return JSON.stringify([audience, issuer, subject, clientId, resource])
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

/** A name for a new session's object: 128 random bits. */
export function createSessionName(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

/** What of a client's introduction fits into an id: names to show, and what it can do. */
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

/** What can be asked of a client, and no more of what it said. */
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

/** Opens ids, and remembers those it has opened: a client sends the same one with every request. */
export class SessionIds {
  readonly #opened = new LruMap<SessionClaims>(MAX_REMEMBERED)

  /** The claims of a session, or undefined for anything that is not a live id of this principal. */
  async open(sealer: Sealer, id: string, context: string): Promise<SessionClaims | undefined> {
    if (id.length > MAX_ID_LENGTH) return undefined
    const key = `${id} ${context}`
    const known = this.#opened.peek(key)
    const claims = known ?? (await openSealed(sealer, id, context))
    if (claims === undefined) return undefined
    if (claims.expiresAt <= Date.now()) {
      this.#opened.delete(key)
      return undefined
    }
    if (known === undefined) this.#opened.set(key, claims)
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
