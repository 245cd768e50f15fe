/** Calls that wait for an answer of their principal, in each era, across kills. */
import { accept } from '../../support/accept.ts'
import { HttpSession } from '../../support/http-session.ts'
import type { WireMessage } from '../../support/sse-reader.ts'
import { requestModern } from '../definitions/era-client.ts'
import { bounded } from '../sessions/bounded.ts'
import type { EventReader } from '../sessions/event-reader.ts'
import { HttpSseSession } from '../sessions/http-sse-session.ts'
import { Session } from '../sessions/session.ts'

type Fetch = (request: Request) => Promise<Response>

export interface HeldAsk {
  /** The message that asks. */
  readonly question: WireMessage
  /** Sends the answer as another principal, and returns whether it was refused. */
  isRefusedTo(other: Fetch): Promise<boolean>
  /** Answers, and returns the response to the call. */
  finish(): Promise<WireMessage>
}

/** The call was answered without a question, for example because the factory has failed. */
class NotAskedError extends Error {
  constructor(message: WireMessage) {
    super(JSON.stringify(message))
  }
}

const YES = { ok: true }
const CALL = { name: 'ask', arguments: {} }

export async function holdModern(url: string, fetch: Fetch): Promise<HeldAsk> {
  const question = await requestModern(url, fetch, 'tools/call', CALL)
  if (question.result?.requestState === undefined) throw new NotAskedError(question)
  const { requestState } = question.result
  const params = { ...CALL, requestState, inputResponses: { confirm: accept(YES) } }
  return {
    question,
    isRefusedTo: async (other) => {
      const { error } = await requestModern(url, other, 'tools/call', params)
      // A factory that fails answers before the state is read.
      return error?.code === -32602 || error?.code === -32603
    },
    finish: () => requestModern(url, fetch, 'tools/call', params),
  }
}

export async function holdInSession(url: string, fetch: Fetch): Promise<HeldAsk> {
  const http = await HttpSession.open({ url, fetch })
  const session = new Session(http)
  const { events, message } = await session.call('ask')
  const first = message ?? (await events?.message(0))
  if (events === undefined || first?.method === undefined) throw new NotAskedError(first)
  return {
    question: first,
    isRefusedTo: async (other) => {
      const stolen = new HttpSession({ url, fetch: other }, http.id, http.version)
      const statuses = [
        await stolen.answer(first, accept(YES)),
        (await stolen.get(events.lastId)).status,
      ]
      return statuses.every((status) => status === 404)
    },
    finish: async () => {
      const status = await session.answer(first, YES)
      if (status !== 202) throw new Error(`The answer was not accepted: ${status}`)
      return responseOn(session, events)
    },
  }
}

/** Resumes the stream of a call until it has the response: a kill ends a connection, too. */
async function responseOn(session: Session, first: EventReader): Promise<WireMessage> {
  for (let { lastId } = first; ; ) {
    const next = await session.get(lastId)
    const rest = typeof next === 'number' ? [] : await next.rest()
    // The first connection may have received the response already.
    const messages = [...first.messages, ...rest]
    const response = messages.find(({ method }) => method === undefined)
    if (response !== undefined) return response
    if (typeof next === 'number') throw new Error(`No stream: ${next}`)
    lastId = next.lastId
  }
}

export async function holdOverHttpSse(url: string, fetch: Fetch): Promise<HeldAsk> {
  const session = await HttpSseSession.open(url, fetch)
  const id = await session.call('ask')
  const first = await session.events.message(1)
  if (first.method === undefined) throw new NotAskedError(first)
  return {
    question: first,
    isRefusedTo: async (other) => {
      const headers = { accept: 'text/event-stream', 'last-event-id': session.events.lastId }
      return (await other(new Request(url, { headers }))).status === 400
    },
    finish: async () => {
      await session.reconnect()
      const status = await session.answer(first, YES)
      if (status !== 202) throw new Error(`The answer was not accepted: ${status}`)
      const { events } = session
      const find = () => events.messages.find((message) => message.id === id)
      await bounded(
        events.until(() => find() !== undefined, 'the response to a call that asked'),
        'the response to a call that asked',
      )
      events.close()
      return find()
    },
  }
}
