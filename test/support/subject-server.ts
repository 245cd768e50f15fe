/**
 * A server from a factory behind an authorization server with two people, for tests of definitions that
 * change for one subject. Each app that is opened has caches of its own, as another isolate has.
 */
// features: sessions

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { type EmbeddedOptions, embedded, passphrase } from '../../src/auth/index.ts'
import type { ServerFactory } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from './full-app.ts'
import { FullServer } from './full-server.ts'

export const ORIGIN = 'https://mcp.example.com'
export const PASSPHRASES = {
  ada: 'correct horse battery staple',
  bob: 'battery staple correct horse',
} as const

export type Subject = keyof typeof PASSPHRASES

/** What the definition of each subject has from now on, besides what all have. */
export const additions = new Map<string, readonly string[]>()

const build: ServerFactory = ({ auth }) => {
  const added = additions.get(auth?.subject ?? '') ?? []
  const server = new FullServer({ name: 'x', version: '0' })
    .registerTool('ask', {}, async (ctx) => {
      await ctx.elicit({ message: 'Sure?', schema: { ok: z.boolean() } })
      return added.join(' ')
    })
    .registerTool('change', {}, async ({ auth, notify }) => {
      additions.set(auth?.subject ?? '', ['of_handler'])
      await notify.toolsChanged({ subject: auth?.subject })
      return 'changed'
    })
    .registerTool('version', {}, ({ auth }) => String(auth?.definitionVersion))
    .registerResource('note', 'note://all', {}, () => 'x')
    .registerPrompt('prompt', {}, () => 'x')
  for (const name of added) {
    server
      .registerTool(name, {}, () => name)
      .registerResource(name, `note://${name}`, {}, () => name)
      .registerPrompt(name, {}, () => name)
  }
  return server
}

/** Telemetry events of all apps. */
export const subjectEvents: TelemetryEvent[] = []

export function openSubjectApp(options: Partial<EmbeddedOptions> = {}) {
  return createFullEdgeway(build, {
    info: { name: 'subjects', version: '1' },
    auth: embedded({
      origin: ORIGIN,
      scopes: { read: 'Read notes' },
      login: passphrase({ people: PASSPHRASES }),
      ...options,
    }),
    telemetry: (event) => subjectEvents.push(event),
    limits: { streamAfterMs: 2000 },
  })
}

export const subjectApp = openSubjectApp()

/** Sends requests to an app, for one person when there is a token. */
export function sendTo(app: typeof subjectApp, token?: string) {
  return async (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return app.fetch(new Request(request, { headers }), env, createExecutionContext())
  }
}
