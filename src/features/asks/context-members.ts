/** The members of the context that ask, wait and run steps. */
import type { ContextMembers } from '../../dispatch/extensions.ts'
import type { CreateMessageRequest, ElicitForm, ElicitUrl } from '../../server/ask.ts'
import type { FullContext, WaitOptions } from '../../server/context.ts'
import type { Schema } from '../../server/schema/standard-schema.ts'
import { formAsk, urlAsk } from './journal/elicitation.ts'
import { checkedWait } from './journal/event.ts'
import { rootsAsk, sampleAsk } from './journal/sampling-and-roots.ts'
import type { StepOptions, StepWork } from './journal/step.ts'
import { roundOf } from './run-round.ts'

export const createAskMembers = (answerTimeoutMs: number): ContextMembers => ({
  elicit: (run) => {
    const elicit = async (ask: ElicitForm | ElicitUrl) =>
      'url' in ask
        ? roundOf(run).ask(ask.key, urlAsk(ask))
        : roundOf(run).ask(ask.key, formAsk(ask))
    return elicit as FullContext['elicit']
  },
  sample: (run) => async (request: CreateMessageRequest) =>
    roundOf(run).ask(request.key, sampleAsk(request)),
  listRoots: (run) => async (ask) => roundOf(run).ask(ask?.key, rootsAsk()),
  step: (run) => {
    const step = async (
      key: string,
      ...rest: readonly [StepWork<unknown>] | readonly [StepOptions, StepWork<unknown>]
    ) => {
      const [options, work] = rest.length === 1 ? [{}, rest[0]] : rest
      return roundOf(run).step(key, options, work)
    }
    return step as FullContext['step']
  },
  sleep: (run) => async (key, milliseconds) => {
    if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
      throw new TypeError('ctx.sleep needs a number of milliseconds of at least 0')
    }
    return roundOf(run).sleep(key, milliseconds)
  },
  waitFor: (run) => {
    const waitFor = async (key: string, options: WaitOptions<Schema | undefined> = {}) => {
      // A task waits as long as it lives.
      const longestMs = run.call.run.task === undefined ? answerTimeoutMs : undefined
      const { wait, read } = checkedWait(options, longestMs)
      return roundOf(run).event(key, wait, read)
    }
    return waitFor as FullContext['waitFor']
  },
  webhook: (run) => async (key) => roundOf(run).webhook(key),
})
