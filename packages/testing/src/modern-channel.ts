/** The modern era: every request stands alone, and an ask is a round of its request. */
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'
import { MetaKey } from '../../../src/protocol/meta.ts'
import {
  type Channel,
  type ChannelOptions,
  type RequestSettings,
  readIntroduction,
  type ServerIntroduction,
  type StreamSettings,
  subjectOf,
} from './channel.ts'
import { followTask } from './follow-task.ts'
import { encodeHeaderValue } from './header-value.ts'
import { type PostOptions, postRequest } from './post-channel.ts'
import type { WireMessage } from './wire-message.ts'

/** A server that asks this often in one request does not end. */
const MAX_ROUNDS = 100

type Params = Readonly<Record<string, unknown>>

export async function openModern(options: ChannelOptions): Promise<Channel> {
  const channel = new ModernChannel(options)
  await channel.discover()
  return channel
}

class ModernChannel implements Channel {
  /** Set before the channel is used. */
  introduction!: ServerIntroduction
  readonly #options: ChannelOptions
  #lastId = 0

  constructor(options: ChannelOptions) {
    this.#options = options
  }

  async discover(): Promise<void> {
    const result = await this.request('server/discover', {})
    this.introduction = readIntroduction((result._meta as Params)[MetaKey.serverInfo], result)
  }

  async request(method: string, params: Params, settings: RequestSettings = {}): Promise<Params> {
    const { answer, onNotification, followsTasks } = this.#options
    const answerAll = async (asks: Params) => {
      const answers: Record<string, unknown> = {}
      for (const [key, ask] of Object.entries(asks as Record<string, WireMessage>)) {
        const { method: asked = '', params: about = {} } = ask
        answers[key] = await answer(subjectOf(method, params), {
          method: asked,
          params: about,
          key,
        })
      }
      return answers
    }
    let round: Params = params
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const { message } = await this.#send(method, round, {
        ...settings,
        onMessage: onNotification,
      })
      const result = message.result as Params
      if (result.resultType === 'task' && followsTasks && settings.follow !== false) {
        const { onState = () => undefined, signal } = settings
        const get = (taskMethod: string, taskParams: Params) => this.request(taskMethod, taskParams)
        return followTask(result, get, answerAll, onState, signal)
      }
      if (result.resultType !== 'input_required') return result
      const answers = await answerAll((result.inputRequests ?? {}) as Params)
      round = { ...params, inputResponses: answers, requestState: result.requestState }
    }
    throw new Error(`${subjectOf(method, params)} asked in ${MAX_ROUNDS} rounds and did not end`)
  }

  async stream(method: string, params: Params, settings: StreamSettings): Promise<Params> {
    const { message } = await this.#send(method, params, settings)
    return message.result as Params
  }

  async listen(filter: object, onChange: (message: WireMessage) => void): Promise<() => void> {
    const controller = new AbortController()
    const acknowledged = Promise.withResolvers<void>()
    const stream = this.#send(
      'subscriptions/listen',
      { notifications: filter },
      {
        signal: controller.signal,
        onMessage: (message) => {
          if (message.method === 'notifications/subscriptions/acknowledged') acknowledged.resolve()
          else onChange(message)
        },
      },
    )
    await Promise.race([acknowledged.promise, stream])
    // The stream ends when the client or the server closes it; until then nothing else can be said.
    stream.catch(() => undefined)
    return () => controller.abort()
  }

  async close(): Promise<void> {}

  #send(method: string, params: Params, { headers, ...options }: PostOptions) {
    const { send, url, revision, clientInfo, capabilities, logLevel } = this.#options
    this.#lastId += 1
    // The header is not defined for the methods of MCP Events.
    const name = method.startsWith('events/')
      ? undefined
      : (params.name ?? params.uri ?? params.taskId)
    const meta = {
      [MetaKey.protocolVersion]: revision.id,
      [MetaKey.clientInfo]: clientInfo,
      [MetaKey.clientCapabilities]: capabilities,
      ...(logLevel && { [MetaKey.logLevel]: logLevel }),
    }
    const message = {
      id: this.#lastId,
      method,
      params: {
        ...params,
        _meta: { ...(isJsonObject(params._meta) ? params._meta : undefined), ...meta },
      } as JsonObject,
    }
    return postRequest(send, url, message, {
      ...options,
      headers: {
        'mcp-protocol-version': revision.id,
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
        ...headers,
      },
    })
  }
}
