/** An authorization server for one test: an app over objects of its own, and a frozen clock. */

import { createExecutionContext } from 'cloudflare:test'
import { onTestFinished, vi } from 'vitest'
import {
  type AuthFeature,
  assertions,
  dpop,
  type EmbeddedOptions,
  embedded,
  passphrase,
  privateKeyJwt,
  type TrustedProviderOptions,
} from '../../../../src/auth/index.ts'
import type { FactoryContext } from '../../../../src/index.ts'
import type { TelemetryEvent } from '../../../../src/telemetry/index.ts'
import { createFullEdgeway, type FullOptions } from '../../../support/full-app.ts'
import { FullServer } from '../../../support/full-server.ts'
import { openObjectsOf } from '../../../support/opened-objects.ts'
import { OWN_KINDS, scopedObjects } from './scoped-objects.ts'

export const ORIGIN = 'https://mcp.example.com'
export const RESOURCE = 'https://mcp.example.com/mcp'
export const PASSPHRASE = 'correct horse battery staple'
export const GUEST_PASSPHRASE = 'battery staple correct horse'

/** No app of the Worker of the tests has it: objects of one server are those of the deployment that was opened last. */
export const AUDIENCE = 'deployment'

/** Later than any real clock, so that an alarm set by the frozen clock never fires by itself. */
export const NOW = Date.UTC(2100, 0, 1)
export const NOW_SECONDS = 4_102_444_800

/** What an app is bound to. Two apps with the same bindings share keys and accounts. */
export type Bindings = Readonly<Record<string, unknown>>

export interface Deployment {
  readonly bindings: Bindings
  /** What the app reported to telemetry so far. */
  readonly events: readonly TelemetryEvent[]
  /** Sends a request to the app. Redirects are not followed. */
  fetch(url: string, init?: RequestInit): Promise<Response>
}

interface Setting {
  readonly bindings?: Bindings
  readonly app?: FullOptions
  /** Default: a server without tools. */
  readonly server?: FullServer
  /** Builds a server for each caller, at a path with params. */
  readonly factory?: (context: FactoryContext) => FullServer
}

const NO_PROVIDER = { issuer: 'https://idp.example.org', jwksUri: 'https://idp.example.org/keys' }

/** All features but personal access tokens, and others beside them. */
export function featuresWith(
  trusted: readonly TrustedProviderOptions[] = [NO_PROVIDER],
  ...others: readonly AuthFeature[]
): readonly AuthFeature[] {
  return [dpop(), privateKeyJwt(), assertions({ trustedProviders: trusted }), ...others]
}

/** Opens a server with two scopes, two people and {@link featuresWith}, changed by `options`. */
export function openDeployment(
  options: Partial<EmbeddedOptions> = {},
  { bindings = createBindings(), app = {}, server = createServer(), factory }: Setting = {},
): Deployment {
  freezeClock()
  const events: TelemetryEvent[] = []
  const edgewayOptions = {
    telemetry: (event: TelemetryEvent) => events.push(event),
    audience: AUDIENCE,
    ...app,
    auth: embedded({
      origin: ORIGIN,
      scopes: { read: 'Read notes', write: 'Change notes' },
      login: passphrase({ people: { owner: PASSPHRASE, guest: GUEST_PASSPHRASE } }),
      features: featuresWith(),
      ...options,
    }),
  } satisfies FullOptions
  const { fetch } = openObjectsOf(
    factory === undefined
      ? createFullEdgeway(server, edgewayOptions)
      : createFullEdgeway(factory, {
          ...edgewayOptions,
          info: { name: 'notes', version: '1.0.0' },
        }),
  )
  return {
    bindings,
    events,
    fetch: async (url, init) =>
      fetch(new Request(url, init), bindings as never, createExecutionContext()),
  }
}

function createServer(): FullServer {
  return new FullServer({ name: 'notes', version: '1.0.0' })
}

/** Objects that no other test knows, under names of their own. */
export function createBindings(variables: Bindings = {}, kinds = OWN_KINDS): Bindings {
  return { ...scopedObjects(crypto.randomUUID(), kinds), ...variables }
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
