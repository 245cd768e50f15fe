/** Checks how the calls of a tool become tasks. */
import type { TaskDefinition } from '../definition.ts'
import type { TaskOptions, TaskSupport } from '../tool.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** The least time in which a handler may ask before its task is created. */
const ASK_BEFORE_MS = 1000

const DEFAULTS = { inlineMs: 0, asks: 'during', ttlMs: DAY_MS, pollIntervalMs: 1000 } as const

const MAX_POLL_INTERVAL_MS = 30_000

/** Of a call that becomes a task because it asks through the model, though its tool has none. */
export const UNPLANNED_TASK: TaskDefinition = {
  ...DEFAULTS,
  support: 'optional',
  maxPollIntervalMs: MAX_POLL_INTERVAL_MS,
}

/** @throws {TypeError} that names the tool and the fault */
export function defineTask(
  subject: string,
  task: TaskSupport | TaskOptions | undefined,
): TaskDefinition | undefined {
  if (task === undefined) return undefined
  const options = typeof task === 'string' ? { support: task } : task
  const { support, inlineMs, asks, ttlMs, pollIntervalMs } = { ...DEFAULTS, ...options }
  const { maxPollIntervalMs = Math.max(pollIntervalMs, MAX_POLL_INTERVAL_MS) } = options
  if (support !== 'optional' && support !== 'required') {
    throw new TypeError(`${subject}: task must be "optional" or "required", or have it as support`)
  }
  if (asks !== 'during' && asks !== 'before') {
    throw new TypeError(`${subject}: task.asks must be "during" or "before"`)
  }
  const durations = { inlineMs, ttlMs, pollIntervalMs, maxPollIntervalMs }
  for (const [name, value] of Object.entries(durations)) {
    if (!(Number.isSafeInteger(value) && value >= (name === 'inlineMs' ? 0 : 1))) {
      throw new TypeError(`${subject}: task.${name} must be a positive integer of milliseconds`)
    }
  }
  if (maxPollIntervalMs < pollIntervalMs) {
    throw new TypeError(`${subject}: task.maxPollIntervalMs must be at least task.pollIntervalMs`)
  }
  const isBefore = asks === 'before'
  return {
    support,
    inlineMs: isBefore ? Math.max(inlineMs, ASK_BEFORE_MS) : inlineMs,
    asks,
    ttlMs,
    pollIntervalMs,
    maxPollIntervalMs,
  }
}

/**
 * Checks the task of a tool whose work runs elsewhere: only a task remembers the job.
 *
 * @throws {TypeError} that names the tool and the fault
 */
export function checkJobTask(subject: string, task: TaskDefinition | undefined): void {
  if (task?.support === 'required' && task.inlineMs === 0) return
  throw new TypeError(`${subject}: a job needs task "required", without inlineMs and asks "before"`)
}
