/** A server with a Server Card, and what reads its documents. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FeatureOption } from '../../src/feature/feature.ts'
import { type ServerCardOptions, serverCard } from '../../src/features/server-card/index.ts'
import {
  createEdgeway,
  type EdgewayOptions,
  type FactoryOptions,
  McpServer,
  type ServerFactory,
} from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { connectApp, type TestApp } from '../support/test-app.ts'
import schema from './schemas/server-card.schema.json'

export const ORIGIN = 'https://mcp.example.com'
export const CATALOG = '/.well-known/ai-catalog.json'
export const NAME = 'com.example/notes'

export const INFO = {
  name: 'notes',
  version: '1.4.0',
  title: 'Example Notes',
  description: 'Search and read your notes.',
  websiteUrl: 'https://example.com/notes',
  icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
} as const

export interface Discovered {
  readonly card?: Partial<ServerCardOptions>
  readonly info?: object
  readonly features?: readonly FeatureOption[]
  readonly options?: Omit<EdgewayOptions, 'features'>
  readonly env?: object
}

export function open({ card, info, features = [], options, env }: Discovered = {}): TestApp {
  const events: TelemetryEvent[] = []
  const edgeway = createEdgeway(new McpServer<unknown>({ ...INFO, ...info }), {
    telemetry: (event) => void events.push(event),
    ...options,
    features: [serverCard({ name: NAME, ...card }), ...features] as unknown as readonly [],
  })
  return connectApp(edgeway, env ?? {}, events)
}

/** A server whose paths have params, which builds a definition for each caller. */
export function openFactory(
  path: string | readonly string[],
  {
    factory = () => new McpServer(INFO),
    card,
    ...options
  }: Partial<Omit<FactoryOptions, 'features'>> & {
    readonly factory?: ServerFactory<unknown>
    readonly card?: Partial<ServerCardOptions>
    readonly features?: readonly FeatureOption[]
  } = {},
): TestApp {
  const events: TelemetryEvent[] = []
  const edgeway = createEdgeway(factory, {
    info: INFO,
    telemetry: (event) => void events.push(event),
    ...options,
    path,
    features: [
      serverCard({ name: NAME, ...card }),
      ...(options.features ?? []),
    ] as unknown as readonly [],
  })
  return connectApp(edgeway, {}, events)
}

export interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly origin?: string
}

export const get = (app: TestApp, path: string, { origin = ORIGIN, ...init }: Sent = {}) =>
  app.fetch(new Request(`${origin}${path}`, init))

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the documents
export async function jsonOf(app: TestApp, path: string, sent?: Sent): Promise<any> {
  return (await get(app, path, sent)).json()
}

const ajv = new Ajv2020({ strict: false })
ajv.addFormat('uri', (text) => URL.canParse(text))

/** What the published schema says against a card. */
export function faultsOf(card: unknown): unknown {
  const { $defs } = schema
  const validate = ajv.compile({ $defs, ...$defs.ServerCard })
  return validate(card) ? [] : validate.errors
}
