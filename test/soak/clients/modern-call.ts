/** One call of 2026-07-28 over its rounds. The client stores the request state over kills. */
import { requestOf } from '../../attacks/modern.ts'
import { delay } from '../../faults/sessions/delay.ts'
import type { Message } from '../../faults/sessions/message.ts'
import { parseMessages } from '../../support/sse-parser.ts'
import type { PlannedCall } from '../calls.ts'
import { textOf } from '../ledger/call-history.ts'
import { SingleUse } from '../ledger/credentials.ts'
import type { Effect } from '../ledger/effects.ts'
import type { Random } from '../random.ts'
import type { ClientSetting } from './client.ts'

/** A result that asks: the questions by their keys, and the state to send back. */
interface InputRequired {
  readonly requestState?: string
  readonly inputRequests: Readonly<Record<string, Message>>
}

interface Received {
  readonly notifications: readonly Message[]
  readonly response: Message
}

/** What a later round adds to the request. */
interface Round {
  readonly requestState?: string | undefined
  readonly inputResponses?: object
}

const REFUSED_STATE = -32602

export class ModernCall {
  readonly #setting: ClientSetting
  readonly #call: PlannedCall
  readonly #random: Random
  /** The single-use state of the present round. */
  #state: SingleUse | undefined

  constructor(setting: ClientSetting, call: PlannedCall, random: Random) {
    this.#setting = setting
    this.#call = call
    this.#random = random
  }

  async run(): Promise<void> {
    const { ledger } = this.#setting
    const { before } = this.#call.script
    ledger.count(`call: ${this.#call.script.tool}`)
    let round: Round = {}
    let asks = 0
    let at = 0
    for (let index = 0; ; index++) {
      const nextAsk = before.findIndex((text, position) => position >= at && isAsk(text))
      const expected = before.slice(at, nextAsk === -1 ? undefined : nextAsk)
      const received = await this.#send(round, this.#call.effects[index] ?? [])
      if (received === undefined) return
      this.#checkNotifications(received.notifications, expected)
      const asked = inputRequestsOf(received.response)
      if (asked === undefined) {
        this.#finish(received.response, asks)
        return this.#presentAgain(round)
      }
      await this.#setting.server.reach('ask-received')
      await delay(this.#random.between(0, 60))
      round = this.#answer(asked)
      asks += Object.keys(asked.inputRequests).length
      at += expected.length + Object.keys(asked.inputRequests).length
    }
  }

  /** Sends one round. A lost round without a state is given up, any other one is sent again. */
  async #send(round: Round, effects: readonly Effect[]): Promise<Received | undefined> {
    const { server, ledger } = this.#setting
    for (let attempt = 0; ; attempt++) {
      if (server.isOver) return undefined
      // However often a single-use state is presented, it is redeemed once.
      if (attempt === 0 || this.#state === undefined) {
        for (const effect of effects) effect.mayHappen(this.#call.runs)
      }
      const moment = round.requestState === undefined ? 'call-sent' : 'answer-sent'
      const send = () => this.#request(round)
      const received = await server.attempt(ledger, 'modern round', send, moment)
      if (received !== undefined) {
        if (isAnswered(received.response)) for (const effect of effects) effect.hasHappened()
        return received
      }
      this.#state?.lost()
      if (round.requestState === undefined) {
        ledger.count('excused: modern call without a response')
        return undefined
      }
      ledger.count('rounds repeated')
    }
  }

  /** Sometimes presents a single-use state that was redeemed, which must be refused. */
  async #presentAgain(round: Round): Promise<void> {
    const { server, ledger } = this.#setting
    const state = this.#state
    if (state === undefined || !this.#random.chance(0.3)) return
    const again = await server.attempt(ledger, 'second round', () => this.#request(round))
    if (again?.response.error?.code === REFUSED_STATE) state.refused()
    else if (again !== undefined) state.succeeded()
  }

  async #request(round: Round): Promise<Received> {
    const { caller, server, ledger } = this.#setting
    const { args, script } = this.#call
    const params = { name: script.tool, arguments: args, ...round }
    const { tool, id } = script
    const response = await caller.fetch(requestOf(server.url, 'tools/call', params, tool, id))
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    const text = await response.text()
    const messages: Message[] = isStream ? parseMessages(text) : [JSON.parse(text)]
    const last = messages.pop()
    ledger.note(`round of ${script.id} ${script.tool}: ${response.status} ${text.slice(-120)}`)
    if (last === undefined || last.method !== undefined) {
      const end = `The stream of call ${script.id} ended without a response`
      // A kill ends the stream without an error; `attempt` decides whether there was one.
      throw Object.assign(new Error(end), { code: 'ECONNRESET' })
    }
    return { notifications: messages, response: last }
  }

  #checkNotifications(notifications: readonly Message[], expected: readonly string[]): void {
    const { ledger } = this.#setting
    ledger.count('messages checked')
    const texts = notifications.map(textOf)
    if (texts.join() === expected.join()) return
    const text = `Call ${this.#call.script.id} sent "${texts}" instead of "${expected}"`
    const kind = texts.length < expected.length ? 'lost-message' : 'duplicated-message'
    ledger.violation(kind, text)
  }

  #answer({ requestState, inputRequests }: InputRequired): Round {
    const { ledger } = this.#setting
    const { contents, isSingleUse, script } = this.#call
    const inputResponses = Object.fromEntries(
      Object.entries(inputRequests).map(([key, request]) => {
        const content = contents[textOf(request)]
        if (content === undefined) {
          const text = `Call ${script.id} of ${script.tool} asks "${textOf(request)}"`
          ledger.violation('foreign-message', text)
        }
        return [key, { action: 'accept', content }]
      }),
    )
    ledger.count('asks answered')
    this.#state = isSingleUse ? new SingleUse(ledger, `The state of call ${script.id}`) : undefined
    return { requestState, inputResponses }
  }

  #finish(response: Message, asks: number): void {
    const { ledger } = this.#setting
    const { script, onSuccess } = this.#call
    if (asks > 0 && response.error?.code === REFUSED_STATE) {
      if (this.#state !== undefined) this.#state.refused()
      else {
        const text = `The state of call ${script.id} was refused: ${response.error.message}`
        ledger.violation('forgotten-credential', text)
      }
      return
    }
    if (!script.accepts(response) || response.id !== script.id) {
      const text = `Call ${script.id} of ${script.tool} was answered with ${JSON.stringify(response)}`
      ledger.violation('unexpected-answer', text)
      return
    }
    this.#state?.succeeded()
    ledger.count(`answered: ${script.tool}`)
    onSuccess(response)
  }
}

function isAsk(text: string): boolean {
  return text.startsWith('ask ')
}

/** Whether the handler ran up to a result or an ask. */
function isAnswered({ result }: Message): boolean {
  return result !== undefined
}

function inputRequestsOf({ result }: Message): InputRequired | undefined {
  const asked = result as Partial<InputRequired> | undefined
  return asked?.inputRequests === undefined ? undefined : (asked as InputRequired)
}
