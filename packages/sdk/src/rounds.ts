/** Runs handlers that return `inputRequired()` again, with the answers of the client. */
import type { FullContext } from '../../../src/server/context.ts'
import { createExtra, type HandlerExtra, type Round } from './extra.ts'
import type { InputRequiredResult, VerifyState } from './input-required.ts'
import { sendRequest } from './requests.ts'

/** A handler that does not come to an end in this many rounds has failed. */
const MAX_ROUNDS = 32

/** Runs a handler until it returns a result. */
export async function runRounds(
  ctx: FullContext,
  verify: VerifyState | undefined,
  run: (extra: HandlerExtra) => unknown,
): Promise<unknown> {
  let round: Round = {}
  for (let count = 0; count < MAX_ROUNDS; count++) {
    const result = await run(createExtra(ctx, round))
    if (!isInputRequired(result)) return result
    const { inputRequests = {}, requestState: state } = result
    const answers = Object.entries(inputRequests).map(
      async ([key, request]) => [key, await sendRequest(ctx, request)] as const,
    )
    const inputResponses = Object.fromEntries(await Promise.all(answers))
    const verified =
      state === undefined || verify === undefined ? state : await verify(state, createExtra(ctx))
    round = { inputResponses, requestState: verified }
  }
  throw new Error(`The handler asked in more than ${MAX_ROUNDS} rounds`)
}

function isInputRequired(result: unknown): result is InputRequiredResult {
  return (result as Partial<InputRequiredResult> | undefined)?.resultType === 'input_required'
}
