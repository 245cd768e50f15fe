/** Builds the params of a progress notification. Revisions differ in `message` only. */
import type { JsonObject } from '../json.ts'
import type { ProgressToken } from '../meta.ts'
import type { Progress } from './codec.ts'

export function progressParams(
  progressToken: ProgressToken,
  { progress, total, message }: Progress,
  hasMessage: boolean,
): JsonObject {
  return {
    progressToken,
    progress,
    ...(total === undefined ? undefined : { total }),
    ...(message === undefined || !hasMessage ? undefined : { message }),
  }
}
