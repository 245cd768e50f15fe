/** What is recorded of a JSON-RPC message: its method, its version and what the client calls itself. No params. */
import type { Details } from '../../../ports/timeline.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import { MetaKey, metaOf, readImplementation } from '../../../protocol/meta.ts'
import { findRevision } from '../../../protocol/revisions.ts'
import { printable } from '../safe-text.ts'

/** The methods of all revisions. A client may send any text as method. */
const METHODS: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/progress',
  'notifications/roots/list_changed',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/directory/read',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'skills/get',
  'skills/list',
  'subscriptions/listen',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tools/call',
  'tools/list',
])

export interface MessageDetails {
  readonly details: Details
  readonly name: string | undefined
}

/** @param body a parsed message, or the items of a batch */
export function messageDetails(body: unknown): MessageDetails {
  if (Array.isArray(body)) return { details: { method: 'batch' }, name: undefined }
  if (!isJsonObject(body)) return { details: {}, name: undefined }
  const { method } = body
  if (typeof method !== 'string') return { details: { method: 'response' }, name: undefined }
  const params = isJsonObject(body.params) ? body.params : undefined
  const meta = metaOf(params)
  const info = readImplementation(
    method === 'initialize' ? params?.clientInfo : meta?.[MetaKey.clientInfo],
  )
  return {
    details: {
      method: METHODS.has(method) ? method : 'other',
      ...versionDetail(method === 'initialize' ? params : meta),
    },
    name: info && printable(info.name),
  }
}

/** `unknown` for a version that no revision has. */
function versionDetail(named: JsonObject | undefined): Details {
  const version = named?.protocolVersion ?? named?.[MetaKey.protocolVersion]
  if (typeof version !== 'string') return {}
  return { version: findRevision(version) === undefined ? 'unknown' : version }
}
