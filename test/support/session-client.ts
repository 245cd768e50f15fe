/** A session client in workerd whose tool calls run handlers that the test writes. */

import { env } from 'cloudflare:workers'
import type { SessionObject } from '../../durable-objects/session/session-object.ts'
import { sealSessionId } from '../../src/features/sessions/transport/session-id.ts'
import type { SessionClaims } from '../../src/ports/sessions.ts'
import { principalContext } from '../../src/protocol/principal.ts'
import type { FullOptions } from './full-app.ts'
import {
  HttpSession,
  type InitializeOptions,
  initialize,
  type ToolCallOptions,
} from './http-session.ts'
import { objectsOfKind, testSealer } from './objects.ts'
import { type Handler, keepHandler, sessionServer } from './session-server.ts'
import { SseReader, type WireMessage } from './sse-reader.ts'
import { ENDPOINT, openApp, type TestApp } from './test-app.ts'

export { CAN_ALL } from './http-session.ts'

/** The context of the seals of the tests' server: the anonymous principal. */
export const CONTEXT = principalContext('sessions', undefined)

export const sealer = () => testSealer()

/** Opens a session id and returns its claims. */
export async function claimsOf(id: string): Promise<SessionClaims> {
  const plaintext = await sealer().open('session-id/1', id, CONTEXT)
  return JSON.parse(new TextDecoder().decode(plaintext))
}

/** Seals a session id with the given claims, as the server would. */
export function sealClaims(claims: SessionClaims, audience = 'sessions'): Promise<string> {
  return sealSessionId(sealer(), claims, principalContext(audience, undefined))
}

/** The environment is its own: other tests use the binding with other servers, which is reported once by environment. */
export function openSessionApp(options: FullOptions = {}, bindings: object = { ...env }): TestApp {
  return openApp(sessionServer, options, bindings)
}

interface CallOptions extends ToolCallOptions {
  /** `run` is neither read-only nor idempotent, `look` is read-only, `repeat` is idempotent. */
  readonly tool?: 'run' | 'look' | 'repeat'
}

export async function openSession(
  options: InitializeOptions = {},
  app: TestApp = openSessionApp(),
): Promise<SessionClient> {
  const id = await initialize({ url: ENDPOINT, fetch: app.fetch }, options)
  return new SessionClient(app, id, options.version ?? '2025-11-25')
}

export class SessionClient extends HttpSession {
  readonly app: TestApp

  constructor(app: TestApp, id: string, version: string) {
    super({ url: ENDPOINT, fetch: app.fetch }, id, version)
    this.app = app
  }

  /** A stub of the session object. */
  async stub() {
    return objectsOfKind<SessionObject>('session', 'sessions').named((await claimsOf(this.id)).name)
  }

  /** Calls a tool that runs the handler. */
  call(handler: Handler, { tool = 'run', ...options }: CallOptions = {}): Promise<Response> {
    return this.callTool(tool, keepHandler(handler), options)
  }

  /** Calls a tool whose handler sends messages before its answer, and reads the stream. */
  async stream(handler: Handler, options?: CallOptions): Promise<SseReader> {
    return new SseReader(await this.call(handler, options))
  }
}

/** Joins the text content of a tool's result. */
export function textOf(message: WireMessage): string {
  return message.result.content.map(({ text }: { text: string }) => text).join('\n')
}
