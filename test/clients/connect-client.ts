/**
 * Connects the official clients, each configured as its users get it: the first generation over both
 * transports, and the second in its default mode, which keeps a session, and pinned to 2026-07-28.
 */
// features: auth
import { inject, onTestFinished } from 'vitest'
import type {
  AdaptedClient,
  AskingMethod,
  Connect,
  ConnectOptions,
  Received,
} from './client-interface.ts'
import { eventually } from './eventually.ts'
import { connectV1, connectV1OverSse } from './v1-client.ts'
import { connectModern, connectV2 } from './v2-client.ts'
import { recordWire, streamsOf, type Wire } from './wire.ts'

const CONNECTORS = {
  v1: connectV1,
  'v1 over HTTP+SSE': connectV1OverSse,
  v2: connectV2,
  'v2, modern': connectModern,
} satisfies Record<string, Connect>

export type Kind = keyof typeof CONNECTORS

export const KINDS = Object.keys(CONNECTORS) as readonly Kind[]

/** The clients that keep a session. */
export const SESSION_KINDS: readonly Kind[] = ['v1', 'v1 over HTTP+SSE', 'v2']

/** The clients that keep a session over Streamable HTTP. */
export const STREAMABLE_KINDS: readonly Kind[] = ['v1', 'v2']

export interface TestClient extends AdaptedClient {
  readonly wire: Wire
  /** The errors that the client reported. */
  readonly errors: readonly Error[]
  /** Answers requests of the server, and returns the params of each as it arrives. */
  answer(
    method: AskingMethod,
    respond: (params: Received) => object | Promise<object>,
  ): readonly Received[]
  /** Resolves when that many streams have been opened with GET. */
  listening(count?: number): Promise<void>
}

/** Connects a client, which is closed when the test is finished. */
export async function connectClient(
  kind: Kind,
  {
    fetch: fetchWith,
    ...options
  }: Partial<ConnectOptions> & { readonly fetch?: typeof fetch } = {},
): Promise<TestClient> {
  const wire = recordWire(fetchWith)
  const adapted = await CONNECTORS[kind]({ url: inject('fixtureUrl'), ...options }, wire)
  onTestFinished(() => adapted.client.close())
  const errors: Error[] = []
  adapted.client.onerror = (error) => errors.push(error)
  return {
    ...adapted,
    wire,
    errors,
    answer: (method, respond) => {
      const asked: Received[] = []
      adapted.onAsked(method, (params) => {
        asked.push(params)
        return respond(params)
      })
      return asked
    },
    listening: (count = 1) => eventually(() => streamsOf(wire).length).toBe(count),
  }
}
