/** The codecs of 2024-11-05 to 2025-11-25, whose results have no envelope. */
import { jsonText } from '../json.ts'
import type { Revision } from '../revisions.ts'
import { createBodies } from './bodies.ts'
import type { Codec } from './codec.ts'
import { earlierTask } from './task-body.ts'

export function createSessionCodec(revision: Revision): Codec {
  return {
    revision,
    ...createBodies(revision.features),
    resultText: jsonText,
    inputRequiredText: undefined,
    uploadRequiredText: undefined,
    createdTaskText: (task) => jsonText({ task: earlierTask(task) }),
    errorCode: (code) => code,
  }
}
