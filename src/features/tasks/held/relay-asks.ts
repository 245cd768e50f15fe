/** Asks the client of a request what a task asks: the answers are those of the task. */
import type { Call } from '../../../dispatch/call.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { fingerprint } from '../../../platform/fnv.ts'
import type { ClientCapabilities } from '../../../protocol/capabilities.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { answerTimeoutMs } from '../../asks/asks-options.ts'
import { type Ask, declares } from '../../asks/journal/ask.ts'
import { showsForms } from '../../asks/journal/elicitation.ts'
import { MAX_OPEN } from '../../asks/journal/suspender.ts'
import { roundOf } from '../../asks/run-round.ts'

/** What `tasks.update` takes, by the keys of the asks. */
export interface RelayedAnswers {
  readonly responses: JsonObject
  readonly refusals: Readonly<Record<string, string>>
}

type Asks = Readonly<Record<string, JsonObject>>

/** After this time a session reads again whether the task still asks; then after twice as long each time. */
const FIRST_READ_MS = 2_000

/**
 * Undefined when this client cannot answer all of them, or has not in the time that asks have. Suspends the run while the
 * client has not answered: it runs again, and reads the task anew, also when the client does not.
 */
export async function relayAsks(
  run: HandlerRun,
  inputRequests: Asks,
): Promise<RelayedAnswers | undefined> {
  if (!canAnswerAll(run.call, inputRequests)) return undefined
  const round = roundOf(run)
  const asks = Object.entries(inputRequests).map(([key, ask]) => {
    return { key, own: roundKey(run, key), ask: askOf(ask) }
  })
  const isOpen = asks.some(
    ({ own }) => !round.isAnswered(own) && round.journal.refusalOf(own) === undefined,
  )
  const { session, canWait } = run.call.run
  // A round has room for as many asks as the task has, and for one wait more only below.
  if (isOpen && session !== undefined && canWait && asks.length < MAX_OPEN) {
    const next = nextRead(run, Object.keys(inputRequests).join())
    if (next === undefined) return undefined
    void round.sleep(next.key, next.ms)
  }
  const responses: Record<string, JsonObject> = {}
  const refusals: Record<string, string> = {}
  const relay = async ({ key, own, ask }: (typeof asks)[number]) => {
    try {
      responses[key] = await round.ask(own, ask)
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      refusals[key] = error.message
    }
  }
  await Promise.all(asks.map(relay))
  return { responses, refusals }
}

/** Whether the client of a call can answer all asks of a task. */
export function canAnswerAll({ client, run }: Call, inputRequests: Asks): boolean {
  const asks = Object.values(inputRequests).map(askOf)
  return run.canAsk && asks.every((ask) => ask.canAnswer(client.capabilities))
}

/** The wait after which the task is read again; undefined at the end of the time that these asks have. */
function nextRead(
  run: HandlerRun,
  asks: string,
): { readonly key: string; readonly ms: number } | undefined {
  let left = answerTimeoutMs(run.call.deployment)
  for (let count = 0; left > 0; count++) {
    const key = `relay.${fingerprint(asks)}-${count}`
    const ms = Math.min(FIRST_READ_MS * 2 ** count, left)
    if (!roundOf(run).isAnswered(key)) return { key, ms }
    left -= ms
  }
  return undefined
}

/** What the asks of a task ask for, as text for the model. */
export function describeAsks(inputRequests: Asks): string {
  return Object.values(inputRequests)
    .map(({ method, params }) => {
      const { message } = isJsonObject(params) ? params : {}
      return typeof message === 'string' ? `"${message}" (${method})` : String(method)
    })
    .join(', ')
}

/** The step that says which ask of the task a key of the request is for. No author can use it: it contains a colon. */
const RELAYED = 'call:relayed'

/** The longest key of a journal. That of an ask in a task has a number behind it. */
const MAX_KEY_LENGTH = 64

/**
 * The key under which the client of the request answers: that of the author, unless another ask has used it, as one that is
 * asked again because its answer did not fit.
 */
function roundKey({ journal }: HandlerRun, key: string): string {
  const author = key.slice(0, key.lastIndexOf('.'))
  const known = journal?.read(RELAYED, 'step')?.value
  const relayed = isJsonObject(known) ? known : {}
  if ((Object.hasOwn(relayed, author) ? relayed[author] : key) === key) {
    journal?.write(RELAYED, 'step', { ...relayed, [author]: key })
    return author
  }
  return key.length <= MAX_KEY_LENGTH ? key : `ask-${fingerprint(key)}`
}

/** Any object is an answer: the task reads it, and asks again where it does not fit. */
function askOf({ method, params }: JsonObject): Ask<JsonObject> {
  const asked = isJsonObject(params) ? params : {}
  return {
    kind: 'task',
    method: String(method),
    params: asked,
    requires: {},
    canAnswer: canAnswerOf(String(method), asked),
    read: async (answer) =>
      isJsonObject(answer)
        ? { value: answer, kept: answer }
        : { misfit: 'the answer must be an object' },
  }
}

/** Whether a client can answer an ask of a task, which another client may have created. */
export function canAnswerOf(
  method: string,
  { mode, tools, toolChoice }: JsonObject,
): (capabilities: ClientCapabilities) => boolean {
  switch (method) {
    case 'elicitation/create':
      return mode === 'url' ? declares('elicitation', 'url') : showsForms
    case 'sampling/createMessage': {
      const usesTools = tools !== undefined || toolChoice !== undefined
      return usesTools ? declares('sampling', 'tools') : declares('sampling')
    }
    case 'roots/list':
      return declares('roots')
    default:
      return () => false
  }
}
