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
} from '../scenarios/client.ts'
import { connectV1, connectV1OverSse } from '../scenarios/v1-client.ts'
import { connectModern, connectV2 } from '../scenarios/v2-client.ts'
import { recordWire, streamsOf, type Wire } from '../scenarios/wire.ts'
import { eventually } from './eventually.ts'

const CONNECTORS = {
  v1: connectV1,
  'v1 over HTTP+SSE': connectV1OverSse,
  v2: connectV2,
  'v2, modern': connectModern,
} satisfies Record<string, Connect>

export type Kind = keyof typeof CONNECTORS

export const KINDS = Object.keys(CONNECTORS) as readonly Kind[]

export interface TestClient extends AdaptedClient {
  readonly wire: Wire
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
  return {
    ...adapted,
    wire,
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
