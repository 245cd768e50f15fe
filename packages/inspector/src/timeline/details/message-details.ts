/** What is recorded of a JSON-RPC message: its method and its version. No params. */

import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { findRevision } from '../../../../../src/protocol/revisions.ts'
import type { Details } from '../../objects/log/port.ts'

/** The methods of all revisions. A client may send any text as method. */
const METHODS: ReadonlySet<string> = new Set([
  'completion/complete',
  'events/list',
  'events/poll',
  'events/stream',
  'events/subscribe',
  'events/unsubscribe',
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

/**
 * @param body a parsed message, or the items of a batch
 * @param version that it names
 */
export function messageDetails(body: unknown, version: string | undefined): Details {
  if (Array.isArray(body)) return { method: 'batch' }
  if (!isJsonObject(body)) return {}
  const { method } = body
  if (typeof method !== 'string') return { method: 'response' }
  return {
    method: METHODS.has(method) ? method : 'other',
    // Text that no revision has may be anything.
    ...(version !== undefined && {
      version: findRevision(version) === undefined ? 'unknown' : version,
    }),
  }
}
