/** A person's client with a session behind the authorization server of `authorized-server.ts`. */
// features: sessions
import { createExecutionContext, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { SessionObject } from '../../durable-objects/session/session-object.ts'
import { principalContext } from '../../src/protocol/principal.ts'
import { AuthClient, type Tokens } from '../auth/server/support/client.ts'
import { authorizedApp, authorizedEvents, ORIGIN } from './authorized-server.ts'
import { HttpSession } from './http-session.ts'
import { objectsOfKind, testSealer } from './objects.ts'
import { type Handler, keepHandler } from './session-server.ts'
import { SseReader } from './sse-reader.ts'

export const RESOURCE = `${ORIGIN}/mcp`

const bindings = { ...env }

export async function send(request: Request): Promise<Response> {
  return authorizedApp.fetch(request, bindings, createExecutionContext())
}

export const server = {
  bindings,
  events: authorizedEvents,
  fetch: (url: string, init?: RequestInit) => send(new Request(url, init)),
}

/** One person's client with a session, whose requests present the given token. */
export class Person {
  readonly client: AuthClient
  readonly session: HttpSession
  #token: string

  private constructor(client: AuthClient, token: string, id: string) {
    this.client = client
    this.#token = token
    const fetch = (request: Request) => send(withToken(request, this.#token))
    this.session = new HttpSession({ url: RESOURCE, fetch }, id, '2025-11-25')
  }

  static async connect(): Promise<{ readonly person: Person; readonly tokens: Tokens }> {
    const client = await AuthClient.register(server)
    const tokens = await client.tokens()
    const fetch = (request: Request) => send(withToken(request, tokens.access))
    const { id } = await HttpSession.open({ url: RESOURCE, fetch })
    return { person: new Person(client, tokens.access, id), tokens }
  }

  present(token: string): void {
    this.#token = token
  }

  async stream(handler: Handler, tool = 'run'): Promise<SseReader> {
    return new SseReader(await this.session.callTool(tool, keepHandler(handler)))
  }

  async stub() {
    return objectsOfKind<SessionObject>('session', 'authorized-sessions').named(
      await this.sessionName(),
    )
  }

  /** The name of the session object. */
  async sessionName(): Promise<string> {
    const auth = {
      issuer: ORIGIN,
      subject: 'owner',
      clientId: this.client.id,
      scopes: [],
      resource: RESOURCE,
    }
    const sealer = testSealer()
    const context = principalContext('authorized-sessions', auth)
    const claims = await sealer.open('session-id/1', this.session.id, context)
    return JSON.parse(new TextDecoder().decode(claims)).name
  }

  async evict(): Promise<void> {
    await evictDurableObject(await this.stub())
  }
}

export function withToken(request: Request, token: string): Request {
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${token}`)
  return new Request(request, { headers })
}
