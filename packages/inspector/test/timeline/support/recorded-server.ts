/** A protected server with a timeline, over objects of its own and a clock that the test moves. */

import { onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { type AuthConfig, embedded, passphrase } from '../../../../../src/auth/index.ts'
import { scopedObjects } from '../../../../../test/auth/server/support/scoped-objects.ts'
import { createFullEdgeway, type FullOptions } from '../../../../../test/support/full-app.ts'
import { FullServer } from '../../../../../test/support/full-server.ts'
import { openObjectsOf } from '../../../../../test/support/opened-objects.ts'
import type { Defect, PlantedRequest } from '../../../../faults/test/planted/plant.ts'
import {
  type TimelineConnection,
  type TimelineControl,
  type TimelineOptions,
  timeline,
} from '../../../src/timeline/index.ts'

export const PASSPHRASE = 'correct horse battery staple'

/** No app of the Worker of the tests has it. */
export const AUDIENCE = 'recorded'

/** Later than any real clock, so that an alarm set by this clock never fires by itself. */
export const NOW = Date.UTC(2100, 0, 1)

export interface RecordedOptions {
  readonly origin?: string
  /** Changes answers of authorization, and of the endpoint to requests without a valid token. */
  readonly plant?: Defect | undefined
  readonly app?: FullOptions
  readonly auth?: Parameters<typeof embedded>[0] extends infer Options ? Partial<Options> : never
  readonly isOpen?: boolean
  readonly timeline?: TimelineOptions
  /** Of a server that was started before: its storage. */
  readonly bindings?: Readonly<Record<string, unknown>>
}

export interface RecordedServer {
  readonly origin: string
  readonly url: string
  readonly bindings: Readonly<Record<string, unknown>>
  /** Sends a request, and waits until it is recorded. */
  fetch(url: string, init?: RequestInit): Promise<Response>
  readonly control: TimelineControl
  /** The only connection. */
  connection(): Promise<TimelineConnection>
}

export function openRecorded(options: RecordedOptions = {}): RecordedServer {
  const { origin = 'http://localhost:8787', plant, app = {}, isOpen = false } = options
  freezeClock()
  const bindings = options.bindings ?? createBindings()
  const auth = embedded({
    origin,
    scopes: { read: 'Read notes', write: 'Change notes' },
    login: passphrase({ people: { owner: PASSPHRASE } }),
    ...options.auth,
  })
  const edgeway = openObjectsOf(
    createFullEdgeway(createServer(), {
      telemetry: () => undefined,
      audience: AUDIENCE,
      limits: { streamAfterMs: 5_000 },
      timeline: timeline(options.timeline),
      ...(!isOpen && { auth: plant === undefined ? auth : withPlant(auth, plant, origin) }),
      ...app,
    }),
  )
  const control = edgeway.timeline(bindings)
  return {
    origin,
    url: `${origin}/mcp`,
    bindings,
    control,
    async fetch(url, init) {
      const background: Promise<unknown>[] = []
      const request = new Request(url, { redirect: 'manual', ...init })
      const ctx = { waitUntil: (work: Promise<unknown>) => void background.push(work) }
      const response = await edgeway.fetch(request, bindings, ctx)
      const copy = new Response(await response.arrayBuffer().then(orNull), response)
      await Promise.all(background)
      return copy
    },
    async connection() {
      const [only, ...others] = await control.connections()
      if (only === undefined || others.length > 0) {
        throw new Error(`${others.length + (only === undefined ? 0 : 1)} connections`)
      }
      return only
    },
  }
}

const orNull = (body: ArrayBuffer) => (body.byteLength === 0 ? null : body)

function createServer(): FullServer {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text: String(text) }],
  }))
  return server
}

/** The same authorization with other answers: a copy of the server that is broken in one way. */
function withPlant(auth: AuthConfig, plant: Defect, origin: string): AuthConfig {
  return {
    ...auth,
    createGate: (context) => {
      const gate = auth.createGate(context)
      return {
        ...gate,
        route(request, ...rest) {
          const copy = request.clone()
          const response = gate.route(request, ...rest)
          return response?.then((answer) => planted(plant, copy, answer, origin))
        },
        async authenticate(request, ...rest) {
          const caller = await gate.authenticate(request, ...rest)
          if (!(caller instanceof Response)) return caller
          return planted(plant, new Request(request.url, request), caller, origin)
        },
      }
    },
  }
}

async function planted(
  plant: Defect,
  request: Request,
  response: Response,
  origin: string,
): Promise<Response> {
  const text = await response.clone().text()
  const headers = Object.fromEntries(response.headers)
  const right = { status: response.status, headers, body: text }
  const { pathname: path, searchParams: query } = new URL(request.url)
  const seen: PlantedRequest = {
    method: request.method,
    path,
    query,
    headers: Object.fromEntries(request.headers),
    body: request.bodyUsed ? '' : await request.text(),
    json: {},
  }
  const answer = await plant(seen, () => right, origin)
  if (answer === undefined) throw new Error('The plant has no answer')
  if (answer === right) return response
  const { status, body } = answer
  return new Response(status === 204 || !body ? null : body, {
    status,
    headers: answer.headers ?? {},
  })
}

/** Objects that no other test knows, under names of their own, on the computer of a developer. */
export function createBindings(): Readonly<Record<string, unknown>> {
  return { EDGEWAY_ORIGIN: 'development', ...scopedObjects(crypto.randomUUID()) }
}

function freezeClock(): void {
  if (vi.isFakeTimers()) return
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

/** Moves the clock of the app and of its objects. */
export function advance(ms: number): void {
  vi.setSystemTime(Date.now() + ms)
}
