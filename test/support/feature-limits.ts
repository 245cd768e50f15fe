/** The default limits of features, by the names of the features and of their options. */
import { DEFAULT_CHANGES_OPTIONS } from '../../durable-objects/hub/changes-options.ts'
import { DEFAULT_ASKS_OPTIONS } from '../../src/features/asks/asks-options.ts'
import { DEFAULT_STATE_LIMITS } from '../../src/features/state/state-limits.ts'
import { DEFAULT_FILE_LIMITS } from '../../src/ports/file-limits.ts'
import { DEFAULT_SESSION_LIMITS } from '../../src/ports/session-limits.ts'
import { DEFAULT_TASK_LIMITS } from '../../src/ports/task-limits.ts'
import { namedLimits } from '../fixtures/limits.ts'

const DEFAULTS = {
  asks: DEFAULT_ASKS_OPTIONS,
  sessions: DEFAULT_SESSION_LIMITS,
  tasks: DEFAULT_TASK_LIMITS,
  changes: DEFAULT_CHANGES_OPTIONS,
  state: DEFAULT_STATE_LIMITS,
  files: DEFAULT_FILE_LIMITS,
}

/** Each default as `tasks.ttlMs`. */
export const DEFAULT_FEATURE_LIMITS = namedLimits(DEFAULTS)
