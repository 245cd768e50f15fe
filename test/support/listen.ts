/** Runs `subscriptions/listen` over any change bus, with a bus in memory and the expected messages. */

import { createCodecs } from '../../src/dispatch/codecs.ts'
import { type ListenSource, serveListen } from '../../src/features/changes/listen.ts'
import { valid } from '../../src/platform/result.ts'
import { type Limits, resolveAppLimits } from '../../src/ports/app-limits.ts'
import type { ChangeBus, ListenOptions } from '../../src/ports/change-bus.ts'
import type { Change } from '../../src/ports/change-kinds.ts'
import type { TelemetryEvent } from '../../src/ports/telemetry.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { RequestId } from '../../src/protocol/json-rpc.ts'
import { MODERN } from '../../src/protocol/revisions.ts'
import { sealDefinition } from '../../src/server/mcp-server.ts'
import { readAccept } from '../../src/transport/accept.ts'
import type { DefinedExchange } from '../../src/transport/exchange.ts'
import { createSampleServer } from './sample-server.ts'
import { SseReader } from './sse-reader.ts'

const definition = sealDefinition(createSampleServer())
const ALL: ListenSource['offered'] = [
  'tools_list_changed',
  'prompts_list_changed',
  'resources_list_changed',
  'resource_updated',
]

/** A change bus in one isolate, which delivers each change to all listeners immediately. */
export class MemoryBus implements ChangeBus {
  readonly listeners = new Set<{
    readonly deliver: (changes: readonly Change[]) => void
    readonly lose: ListenOptions['onLost']
  }>()
  /** The options of the last listener. */
  asked: unknown

  async publish(change: Change) {
    this.publishTogether([change])
  }

  /** Delivers changes as one message of the hub. */
  publishTogether(changes: readonly Change[]) {
    for (const { deliver } of this.listeners) deliver(changes)
  }

  async position() {
    return '0'
  }

  async countListeners() {
    return this.listeners.size
  }

  async listen({ kinds, subject, onChanges, onLost, ...rest }: ListenOptions) {
    this.asked = { kinds, subject, ...rest }
    const listener = {
      deliver: (changes: readonly Change[]) => {
        const received = changes
          .filter(({ kind }) => kinds.includes(kind))
          .filter((change) => change.subject === undefined || change.subject === subject)
          .map((change) => ({ change, position: '0', isOwn: change.subject !== undefined }))
        if (received.length > 0) onChanges(received)
      },
      lose: onLost,
    }
    this.listeners.add(listener)
    return valid({ position: '0', close: () => void this.listeners.delete(listener) })
  }

  lose(error?: unknown) {
    for (const { lose } of this.listeners) lose(error)
  }
}

export interface Setting {
  readonly bus?: ChangeBus
  readonly id?: RequestId
  readonly accept?: string
  readonly subject?: string
  readonly limits?: Partial<Limits>
  readonly signal?: AbortSignal
  readonly source?: Partial<ListenSource> & { readonly mayRead?: (uri: string) => boolean }
}

export function open(params: JsonObject | undefined, setting: Setting = {}) {
  const { bus = new MemoryBus(), id = 1, accept = 'application/json, text/event-stream' } = setting
  const events: TelemetryEvent[] = []
  const report = (event: TelemetryEvent) => void events.push(event)
  const { subject, limits, signal } = setting
  const codecOf = createCodecs(definition.info)
  const exchange = {
    endpoint: {
      codecOf,
      extensions: {},
      limits: resolveAppLimits(limits),
      report,
    },
    dispatchers: { under: () => ({ methods: new Map(), definition }) },
    request: new Request('https://x.example/mcp', { method: 'POST', ...(signal && { signal }) }),
    accepted: readAccept(accept),
    auth: subject === undefined ? undefined : { subject, clientId: 'c', scopes: [] },
    extraHeaders: { 'access-control-allow-origin': '*' },
  } as unknown as DefinedExchange
  const message = { kind: 'request', id, method: 'subscriptions/listen', params } as const
  const { mayRead = () => true, ...rest } = setting.source ?? {}
  const source = {
    bus,
    offered: ALL,
    definition: { mayRead, mayAccessTask: () => true, observe: () => undefined },
    maxLifetimeMs: 60_000,
    ...rest,
  }
  return { events, response: serveListen(exchange, codecOf(MODERN), message, source) }
}

/** Reads the messages of a stream one at a time; `end` after the last. */
export async function reading({ response }: ReturnType<typeof open>) {
  const reader = new SseReader(await response)
  return { next: async () => (await reader.message()) ?? 'end', leave: () => reader.leave() }
}

export const tagged = (method: string, id: RequestId = 1, rest = {}) => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, ...rest },
})
export const acknowledged = (notifications: object, id?: RequestId) =>
  tagged('subscriptions/acknowledged', id, { notifications })
export const result = (id: RequestId) => ({
  jsonrpc: '2.0',
  id,
  result: {
    resultType: 'complete',
    _meta: {
      'io.modelcontextprotocol/serverInfo': { name: 'sample', version: '1.2.3' },
      'io.modelcontextprotocol/subscriptionId': id,
    },
  },
})

export const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['note://a', 'note://b'],
}
