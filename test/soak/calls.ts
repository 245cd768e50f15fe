/** Tool calls with everything that is known about them before they are sent: messages, answers, effects. */
import type { Message } from '../faults/sessions/message.ts'
import type { CallScript } from './ledger/call-history.ts'
import type { EffectBook } from './ledger/effect-book.ts'
import type { Effect } from './ledger/effects.ts'
import type { ClientLedger } from './ledger/ledger.ts'
import type { Random } from './random.ts'

export interface PlannedCall {
  readonly args: object
  readonly script: CallScript
  /** The content with which each ask is accepted, by the text of the ask. */
  readonly contents: Readonly<Record<string, object>>
  /** The effects before the first ask, between the asks, and after the last one. */
  readonly effects: readonly (readonly Effect[])[]
  /** How often an effect may happen for one request. */
  readonly runs: number
  readonly isSingleUse: boolean
  readonly onSuccess: (response: Message) => void
}

export interface CallContext {
  readonly id: number
  readonly ledger: ClientLedger
  readonly effects: EffectBook
  readonly random: Random
}

export type Plan = (context: CallContext) => PlannedCall

/** A run of a repeatable call may be interrupted three times and start again. */
const REPEATABLE_RUNS = 4

export function textOfResult({ result }: Message): string | undefined {
  return result?.isError === true ? undefined : result?.content?.[0]?.text
}

function plan(
  { id }: CallContext,
  tool: string,
  args: object,
  response: string,
  more: Partial<Omit<PlannedCall, 'args' | 'script'>> & {
    readonly before?: readonly string[]
  } = {},
): PlannedCall {
  const { before = [], ...rest } = more
  const accepts = (message: Message) => textOfResult(message) === response
  const defaults = { contents: {}, effects: [], runs: 1, isSingleUse: false }
  const script = { id, tool, before, accepts }
  return { ...defaults, onSuccess: () => undefined, ...rest, args, script }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const echo: Plan = (context) => plan(context, 'echo', { text: `e${context.id}` }, `e${context.id}`)

const big: Plan = (context) => {
  const bytes = context.random.between(1, 60_000)
  return plan(context, 'big', { bytes }, 'x'.repeat(bytes))
}

const count: Plan = (context) => {
  const { id, ledger, effects } = context
  const effect = effects.create(ledger, `count-${id}`)
  return plan(context, 'count', { name: effect.counter }, '{"value":1}', { effects: [[effect]] })
}

/** Is held until a kill. Its effect would happen again in a second run. Of the variant `work`. */
const countAndWait: Plan = (context) => {
  const { id, ledger, effects } = context
  const effect = effects.create(ledger, `waits-${id}`)
  return plan(context, 'count_and_wait', { name: effect.counter }, 'done', {
    before: [`progress ${id} 1`],
    effects: [[effect]],
  })
}

const progress: Plan = (context) => {
  const [steps, gapMs] = [context.random.between(1, 30), context.random.between(0, 25)]
  const before = upTo(steps).map((step) => `progress ${context.id} ${step}`)
  return plan(context, 'progress', { count: steps, gapMs }, 'done', { before })
}

const readsOnly: Plan = (context) => {
  const { effects, random } = context
  const countIn = (response: Message) =>
    Number(/^\{"value":(\d+)\}$/.exec(textOfResult(response) ?? '')?.[1])
  const planned = plan(context, 'reads_only', { ms: random.between(0, 500) }, '', {
    effects: [[effects.readsOnlyRuns]],
    runs: REPEATABLE_RUNS,
    onSuccess: (response) => effects.readsOnlyValues.receive(countIn(response)),
  })
  const accepts = (response: Message) => countIn(response) > 0
  return { ...planned, script: { ...planned.script, accepts } }
}

const tenSteps: Plan = (context) => {
  const { id, ledger, effects, random } = context
  const steps = upTo(10).map((step) => effects.create(ledger, `ten-${id}-${step}`))
  const args = { name: `ten-${id}`, gapMs: random.between(0, 40) }
  return plan(context, 'ten_steps', args, 'done', { effects: [steps] })
}

const sleepStep: Plan = (context) => {
  const { id, ledger, effects, random } = context
  const name = `sleep-${id}`
  const around = ['before', 'after'].map((when) => effects.create(ledger, `${name}-${when}`))
  return plan(context, 'sleep_step', { name, ms: random.between(0, 600) }, 'done', {
    effects: [around],
  })
}

const askCount: Plan = (context) => {
  const { id, ledger, effects, random } = context
  const name = `ask-${id}`
  const ok = random.chance(0.5)
  const ask = `ask Count ${name}?`
  return plan(context, 'ask_count', { name }, `{"action":"accept","ok":${ok}}`, {
    before: [`progress ${id} 1`, ask, `progress ${id} 3`],
    contents: { [ask]: { ok } },
    effects: [
      [effects.create(ledger, `${name}-first`)],
      [effects.create(ledger, `${name}-second`)],
    ],
  })
}

const askTwo: Plan = (context) => {
  const name = `N${context.id}`
  const asks = ['ask What is your name?', `ask Which color do you like, ${name}?`] as const
  return plan(context, 'ask_two', {}, `${name} likes C${context.id}`, {
    before: asks,
    contents: { [asks[0]]: { name }, [asks[1]]: { color: `C${context.id}` } },
  })
}

const askTogether: Plan = (context) => {
  const asks = ['ask What is on the left?', 'ask What is on the right?'] as const
  const { id } = context
  return plan(context, 'ask_together', {}, `L${id} R${id}`, {
    before: asks,
    contents: { [asks[0]]: { left: `L${id}` }, [asks[1]]: { right: `R${id}` } },
  })
}

const singleUse: Plan = (context) => {
  const ask = 'ask Only once?'
  return plan(context, 'one_time', {}, 'accept', {
    before: [ask],
    contents: { [ask]: { ok: true } },
    effects: [[], [context.effects.singleUseCalls]],
    isSingleUse: true,
  })
}

export const CALLS = {
  echo,
  big,
  count,
  countAndWait,
  progress,
  readsOnly,
  tenSteps,
  sleepStep,
  askCount,
  askTwo,
  askTogether,
  singleUse,
}

/** The calls whose messages name them, also where all calls of a session share one stream. */
const NAMED: readonly (readonly [weight: number, plan: Plan])[] = [
  [3, echo],
  [1, big],
  [4, count],
  [4, progress],
  [4, readsOnly],
  [2, tenSteps],
  [2, sleepStep],
  [8, askCount],
]

const ALL: typeof NAMED = [...NAMED, [3, askTwo], [3, askTogether], [2, singleUse]]

/** @param isShared whether the call shares its stream with other calls */
export function planCall(context: CallContext, isShared = false): PlannedCall {
  return context.random.pickWeighted(isShared ? NAMED : ALL)(context)
}

export function markSent({ effects, runs }: PlannedCall): void {
  for (const effect of effects.flat()) effect.mayHappen(runs)
}

/** The request was refused and did not run. */
export function markRefused({ effects, runs }: PlannedCall): void {
  for (const effect of effects.flat()) effect.cannotHappen(runs)
}
