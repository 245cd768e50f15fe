/** Compares two versions of an event type: clients send its arguments, and read its payload. */
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import { listIn } from '../../../../text/src/json/members.ts'
import { additive, breaking, type Change } from './difference.ts'
import { otherMembers, schemaChanges } from './members.ts'

const COMPARED = ['delivery', 'inputSchema', 'payloadSchema']

export function eventChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  const [old, now] = [listIn(before, 'delivery').map(String), listIn(after, 'delivery').map(String)]
  const lost = old.filter((mode) => !now.includes(mode))
  const won = now.filter((mode) => !old.includes(mode))
  return [
    ...lost.map((mode) => breaking(`has no ${mode} any more`, 'delivery')),
    ...won.map((mode) => additive(`has ${mode} too`, 'delivery')),
    ...schemaChanges('inputSchema', [before, after], 'input', 'argument'),
    ...schemaChanges('payloadSchema', [before, after], 'output', 'payload'),
    ...otherMembers(before, after, COMPARED),
  ]
}
