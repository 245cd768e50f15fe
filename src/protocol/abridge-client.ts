/** Reduces what a client says of itself to a size that can be stored for every session. */
import { utf8Length } from '../platform/utf8.ts'
import { APPS_EXTENSION, showsViews, VIEW_TYPE } from './apps.ts'
import type { ClientCapabilities } from './capabilities.ts'
import type { Implementation } from './content.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/** Maximum size of a client's capabilities, in bytes of JSON. */
const MAX_CAPABILITIES_BYTES = 2048

/** Maximum length of a client's name, version and title, in UTF-16 code units. */
const MAX_INFO_FIELD_LENGTH = 128

export interface AbridgedClient {
  readonly clientInfo: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
}

/** Reduces a client's introduction to names for display, and capabilities. */
export function abridgeClient(
  info: Implementation | undefined,
  capabilities: ClientCapabilities,
): AbridgedClient {
  const short = (text: string) => text.slice(0, MAX_INFO_FIELD_LENGTH).toWellFormed()
  const clientInfo = info && {
    name: short(info.name),
    version: short(info.version),
    ...(typeof info.title === 'string' ? { title: short(info.title) } : undefined),
  }
  const fits = utf8Length(JSON.stringify(capabilities)) <= MAX_CAPABILITIES_BYTES
  return { clientInfo, clientCapabilities: fits ? capabilities : bareCapabilities(capabilities) }
}

/** Reduces capabilities to the asks that the client supports, and to whether it has tasks and shows views. */
function bareCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
  const bare: Record<string, JsonObject> = {}
  for (const name of ['elicitation', 'sampling', 'roots']) {
    const value = capabilities[name]
    if (!isJsonObject(value)) continue
    const modes = ['form', 'url', 'tools', 'context'].filter((mode) => isJsonObject(value[mode]))
    bare[name] = Object.fromEntries(modes.map((mode) => [mode, {}]))
  }
  if (isJsonObject(capabilities.tasks)) bare.tasks = {}
  if (showsViews(capabilities)) {
    bare.extensions = { [APPS_EXTENSION]: { mimeTypes: [VIEW_TYPE] } }
  }
  return bare
}
