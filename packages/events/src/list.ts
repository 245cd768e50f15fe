/** `events/list`. */

import {
  answerText,
  type Call,
  pageOf,
  type RevisionContext,
  readCursor,
} from '../../../src/internal.ts'
import type { EventDescriptor } from '../../../src/protocol/events.ts'
import { isSeen } from './admit.ts'
import type { EventServer } from './event-caller.ts'

/** @throws {ProtocolError} invalidParams for a cursor that is not of this list */
export function listEvents(
  { types }: EventServer,
  { definition, codec }: RevisionContext,
  call: Call,
): string {
  const { params, auth } = call.request
  const all = [...types.values()]
  const seen = all.filter((type) => isSeen(type, auth, call.deployment.report))
  for (const { confirmDefaults } of seen) confirmDefaults?.()
  const listed = seen.flatMap(({ descriptor }) => inEra(descriptor, call.client.era === 'modern'))
  const position = readCursor(params)
  const { page, nextCursor } = pageOf(listed, ({ name }) => name, position, definition.pageSize)
  const isPrivate = definition.isPrivate || all.some(({ visible }) => visible !== undefined)
  const body = { events: page, ...(nextCursor === undefined ? undefined : { nextCursor }) }
  return answerText(call, codec, body, {
    ttlMs: isPrivate ? 0 : definition.listTtlMs,
    cacheScope: isPrivate ? 'private' : 'public',
  })
}

/** The earlier revisions have no `events/stream`. */
function inEra(descriptor: EventDescriptor, isModern: boolean): readonly EventDescriptor[] {
  if (isModern) return [descriptor]
  const delivery = descriptor.delivery.filter((mode) => mode !== 'push')
  return delivery.length === 0 ? [] : [{ ...descriptor, delivery }]
}
