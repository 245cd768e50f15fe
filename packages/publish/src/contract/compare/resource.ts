/** Compares two versions of a resource, or of a resource template. */
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import { additive, breaking, type Change } from './difference.ts'
import { otherMembers } from './members.ts'

export function resourceChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  return [
    ...typeChanges(before.mimeType, after.mimeType),
    ...otherMembers(before, after, ['mimeType', 'uriTemplate']),
  ]
}

/** Readers choose by it how they parse and show the contents. */
function typeChanges(before: unknown, after: unknown): readonly Change[] {
  if (before === after) return []
  if (before === undefined) return [additive(`is ${String(after)} now`, 'mimeType')]
  return [breaking(`is ${String(after ?? 'absent')} instead of ${String(before)}`, 'mimeType')]
}

/**
 * Whether every URI of a template is one of another: the other one has a query besides, which may be absent.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6570#section-3.2.8
 */
export const hasOnlyMoreQuery = (before: string, after: string): boolean =>
  !before.includes('?') &&
  after.startsWith(before) &&
  /^\{\?[\w.,*]+\}$/.test(after.slice(before.length))
