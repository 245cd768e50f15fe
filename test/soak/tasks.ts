/** Durable tasks with everything that is known about them before they are created: effects, answers, values, and the result. */
import type { Part, Work } from '../fixtures/probes/work-parts.ts'
import type { Random } from './random.ts'

/** A value that a task waits for, which the route of the author or the URL of a webhook delivers. */
interface AwaitedValue {
  readonly by: 'route' | 'webhook'
  readonly key: string
  readonly value: object
}

export interface TaskPlan {
  readonly tool: string
  readonly args: object
  /** The counters of its steps. */
  readonly counters: readonly string[]
  /** The text of its result. */
  readonly text: string
  readonly values?: readonly AwaitedValue[]
  /** The content with which each ask is accepted, by the text of the ask. */
  readonly contents?: Readonly<Record<string, object>>
  /** Its client cancels it, and it would not end by itself. */
  readonly isCancelled?: boolean
  /** The keys of steps that must not run twice. A kill inside one of them ends the task. */
  readonly once?: readonly string[]
  /** The counter that says that its handler is held until a kill. */
  readonly held?: string
}

const VALUE = { ok: true }
const LONG_MS = 86_400_000

const valueFor = (key: string) => ({ text: `value of ${key}` })

const around = (name: string) => [`${name}-before`, `${name}-after`]

const waiting = (tool: string, by: AwaitedValue['by'], name: string): TaskPlan => ({
  tool,
  args: { name },
  counters: around(name),
  text: JSON.stringify(VALUE),
  values: [{ by, key: 'event', value: VALUE }],
})

/** The plans by what they do. Each has a name that no other task has. */
export const TASKS = {
  steps: (name: string, gapMs = 30): TaskPlan => ({
    tool: 'ten_steps',
    args: { name, gapMs },
    counters: Array.from({ length: 10 }, (_, index) => `${name}-${index + 1}`),
    text: 'done',
  }),
  sleep: (name: string, ms = 800): TaskPlan => ({
    tool: 'sleep_step',
    args: { name, ms },
    counters: around(name),
    text: 'done',
  }),
  cancelled: (name: string): TaskPlan => ({ ...TASKS.sleep(name, LONG_MS), isCancelled: true }),
  event: (name: string) => waiting('wait_event', 'route', name),
  webhook: (name: string) => waiting('webhook', 'webhook', name),
  work: (name: string, parts: readonly Part[], hold?: Work['hold']): TaskPlan => {
    const keyed = parts.map(({ kind }, index) => ({ kind, key: `${name}.${index}` }))
    const keysOf = (...kinds: readonly Part['kind'][]) =>
      keyed.filter(({ kind }) => kinds.includes(kind)).map(({ key }) => key)
    const received = keyed.flatMap(({ kind, key }) => {
      if (kind === 'step' || kind === 'once') return key
      return kind === 'pause' || kind === 'sleep' ? [] : valueFor(key).text
    })
    return {
      tool: 'work',
      args: { name, parts, hold },
      counters: keysOf('step', 'once'),
      text: JSON.stringify({ name, received }),
      values: keyed.flatMap(({ kind, key }) => {
        if (kind !== 'event' && kind !== 'webhook') return []
        return { by: kind === 'event' ? ('route' as const) : kind, key, value: valueFor(key) }
      }),
      contents: Object.fromEntries(keysOf('ask').map((key) => [key, valueFor(key)])),
      once: keysOf('once'),
      ...(hold && { held: `${name}.held` }),
    }
  },
}

const PARTS: readonly (readonly [weight: number, kind: Part['kind']])[] = [
  [8, 'step'],
  [1, 'once'],
  [3, 'pause'],
  [2, 'sleep'],
  [1, 'event'],
  [1, 'webhook'],
  [1, 'ask'],
]

/** @param canWork whether the server has the tool `work`, and its client answers the asks of tasks */
export function planTask(
  random: Random,
  name: string,
  isProtected: boolean,
  canWork: boolean,
): TaskPlan {
  const parts = () =>
    Array.from({ length: random.between(2, 8) }, () => ({
      kind: random.pickWeighted(PARTS),
      ms: random.between(10, 500),
    }))
  return random.pickWeighted<() => TaskPlan>([
    [3, () => TASKS.steps(name, random.between(0, 60))],
    [1, () => TASKS.sleep(name, random.between(0, 1500))],
    [1, () => TASKS.cancelled(name)],
    [1, () => TASKS.webhook(name)],
    // The protected server has no route that delivers.
    [isProtected ? 0 : 1, () => TASKS.event(name)],
    [canWork && !isProtected ? 4 : 0, () => TASKS.work(name, parts())],
  ])()
}
