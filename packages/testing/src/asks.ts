/** Scripted answers: what the person and the model behind a test client say to the asks of handlers. */

import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'
import type { CreateMessageRequest, CreateMessageResult, Root } from '../../../src/server/ask.ts'
import { McpError } from '../../client/src/mcp-error.ts'

/** An elicitation as the client receives it. */
export interface ElicitAsk {
  readonly mode: 'form' | 'url'
  /** The question, shown to the person. */
  readonly message: string
  /** The JSON Schema of the form. */
  readonly requestedSchema?: JsonObject
  /** The URL to open. */
  readonly url?: string
  readonly elicitationId?: string
  /** The key of the ask; undefined in revisions that do not send it. */
  readonly key: string | undefined
}

/** A sampling request as the client receives it. */
export type SamplingAsk = Omit<CreateMessageRequest, 'key'> & { readonly key: string | undefined }

export type ElicitResponse =
  | { readonly action: 'accept'; readonly content?: object }
  | { readonly action: 'decline' | 'cancel' }

/** A text is the answer of the model `test`. */
export type SamplingResponse = string | CreateMessageResult

/** Answers in the order of the asks, or a function of each ask. `undefined` is no answer. */
export type Answers<Ask, Answer> =
  | readonly Answer[]
  | ((ask: Ask) => Answer | undefined | Promise<Answer | undefined>)

export interface ScriptedAnswers {
  /** Answers to `ctx.elicit`: {@link accept}, {@link decline} or {@link cancel}. */
  readonly elicit?: Answers<ElicitAsk, ElicitResponse>
  /** Answers to `ctx.sample`. */
  readonly sample?: Answers<SamplingAsk, SamplingResponse>
  /** The answer to every `ctx.listRoots`. */
  readonly roots?: readonly Root[]
}

/** The person accepts: fills in the form, or opens the URL. */
export function accept(content?: object): ElicitResponse {
  return content === undefined ? { action: 'accept' } : { action: 'accept', content }
}

/** The person says no. */
export const decline: ElicitResponse = { action: 'decline' }

/** The person closes the question. */
export const cancel: ElicitResponse = { action: 'cancel' }

/** An ask that a test client has received. */
export interface ReceivedAsk {
  readonly method: string
  readonly params: JsonObject
  readonly key: string | undefined
}

/** Answers the asks of one client. A queue is used up in order, over all calls of the client. */
export class Answerer {
  readonly received: ReceivedAsk[] = []
  readonly #elicit: (ask: ElicitAsk) => unknown
  readonly #sample: (ask: SamplingAsk) => unknown
  readonly #roots: readonly Root[] | undefined

  constructor({ elicit = [], sample = [], roots }: ScriptedAnswers) {
    this.#elicit = functionOf(elicit)
    this.#sample = functionOf(sample)
    this.#roots = roots
  }

  /**
   * @param asker what the server was doing, such as `Tool "deploy"`
   * @throws {McpError} `unanswered-ask`
   */
  async answer(asker: string, { method, params, key }: ReceivedAsk): Promise<JsonObject> {
    if (method === 'ping') return {}
    this.received.push({ method, params, key })
    const answer = await this.#find(method, params, key)
    if (answer !== undefined) return answer
    const { question, fix } = describeAsk(method, params)
    const named = key === undefined ? '' : ` (key ${key})`
    throw new McpError(
      `${asker} asked${named}: ${question}. The test has no answer to it: connect(…, ${fix})`,
      { reason: 'unanswered-ask' },
    )
  }

  async #find(
    method: string,
    params: JsonObject,
    key: string | undefined,
  ): Promise<JsonObject | undefined> {
    switch (method) {
      case 'elicitation/create': {
        const mode = params.mode === 'url' ? 'url' : 'form'
        const ask = { ...params, mode, key } as unknown as ElicitAsk // The server has written its members.
        return (await this.#elicit(ask)) as JsonObject | undefined
      }
      case 'sampling/createMessage': {
        const ask = { ...params, key } as unknown as SamplingAsk // The server has written its members.
        const answer = await this.#sample(ask)
        if (typeof answer !== 'string') return answer as JsonObject | undefined
        return { role: 'assistant', content: { type: 'text', text: answer }, model: 'test' }
      }
      case 'roots/list':
        return this.#roots && { roots: this.#roots.map((root) => ({ ...root })) }
      default:
        return undefined
    }
  }
}

function functionOf<Ask, Answer>(answers: Answers<Ask, Answer>): (ask: Ask) => unknown {
  if (typeof answers === 'function') return answers
  const queue = [...answers]
  return () => queue.shift()
}

/** Describes an ask, and the option that answers it. */
function describeAsk(method: string, params: JsonObject): { question: string; fix: string } {
  const message = JSON.stringify(params.message)
  if (method === 'elicitation/create') {
    if (params.mode === 'url') {
      return { question: `${message} at ${params.url}`, fix: '{ elicit: [accept()] }' }
    }
    const { properties } = (params.requestedSchema ?? {}) as JsonObject
    const fields = isJsonObject(properties) ? Object.keys(properties) : []
    const content = fields.map((field) => `${field}: …`).join(', ')
    return { question: `${message}`, fix: `{ elicit: [accept({ ${content} })] }` }
  }
  if (method === 'sampling/createMessage') {
    const messages = JSON.stringify(params.messages).slice(0, 200)
    return { question: `a model for ${messages}`, fix: "{ sample: ['…'] }" }
  }
  if (method === 'roots/list') {
    return { question: 'for the roots', fix: "{ roots: [{ uri: 'file:///…' }] }" }
  }
  return { question: method, fix: '{ … }' }
}
