/**
 * Two servers of one Worker: `docs` is public, `notes` has authorization. Both have the same tools and every kind of
 * object: sessions and tasks of their own, and a hub, a keyring, states, files and accounts in common.
 */
// features: sessions, changes, tasks, auth

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import * as z from 'zod'
import { admin } from '../../packages/inspector/src/admin/index.ts'
import { embedded, passphrase } from '../../src/auth/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { withFiles } from './features/files.ts'
import { createFullEdgeway, type FullOptions } from './full-app.ts'
import { FullServer } from './full-server.ts'
import { handlerOf } from './session-server.ts'
import { connectApp, type TestApp } from './test-app.ts'

/** As in `auth/server/support/deployment.ts`, which needs the Worker of the tests, and so this module. */
const ORIGIN = 'https://mcp.example.com'
const PASSPHRASE = 'correct horse battery staple'

export function createServer(name: string): FullServer {
  const server = new FullServer({ name, version: '1.0.0' })
  const filing = {
    inputSchema: z.object({ script: z.string() }),
    ...withFiles,
  }
  const readOnly = { annotations: { readOnlyHint: true } }
  server.registerTool('name', readOnly, ({ auth }) => `${name} ${auth?.subject ?? 'nobody'}`)
  server.registerTool('run', { ...filing, ...readOnly }, ({ script }, ctx) =>
    handlerOf(script)(ctx),
  )
  server.registerTool('work', { ...filing, task: 'required' }, ({ script }, ctx) =>
    handlerOf(script)(ctx),
  )
  server.registerResource('note', 'note://a', {}, () => name)
  return server
}

/** Telemetry events of both servers, of all tests in a file. */
export const serverEvents: TelemetryEvent[] = []

const COMMON = {
  httpSse: false,
  telemetry: (event: TelemetryEvent) => serverEvents.push(event),
  limits: { streamAfterMs: 2000 },
  hub: { listenersPerSubject: 10_000 },
} as const satisfies FullOptions

const DOCS = {
  ...COMMON,
  path: '/docs',
  otherPaths: ['/guide'],
} as const

export const docs = createFullEdgeway(createServer('docs'), DOCS)

export const notes = createFullEdgeway(createServer('notes'), {
  ...COMMON,
  admin: admin(),
  auth: embedded({
    origin: ORIGIN,
    scopes: { read: 'Read notes' },
    login: passphrase({ people: { owner: PASSPHRASE } }),
  }),
})

/** As the guide mounts several servers. */
const worker = new Hono<{ Bindings: object }>()
worker.route('/', docs.app)
worker.route('/', notes.app)

/** The Worker, as a deployment that authorization clients of the tests use. */
export const deployed = {
  bindings: { ...env },
  events: serverEvents,
  fetch: async (url: string, init?: RequestInit): Promise<Response> =>
    worker.fetch(new Request(url, init), env, createExecutionContext()),
}

/** An app of the public server with other options and bindings, and telemetry of its own. */
export function openDocs(
  options: FullOptions,
  bindings: object = { ...env },
  name = 'docs',
): TestApp {
  const { telemetry: _, ...rest } = DOCS
  const events: TelemetryEvent[] = []
  const telemetry = (event: TelemetryEvent) => events.push(event)
  const edgeway = createFullEdgeway(createServer(name), { ...rest, telemetry, ...options })
  const app = connectApp(edgeway, bindings, events)
  return app.at([options.path ?? DOCS.path].flat()[0] ?? '')
}
