/** The one Durable Object class of a Worker: its objects are those of one or more servers. */
import { DurableObject } from '#runtime'
import type { EdgewayObjectClass } from '../src/ports/object-class.ts'
import {
  audienceDigest,
  isServerKind,
  type Kind,
  readObjectName,
} from '../src/ports/object-kinds.ts'
import type { AppObjects, PartSource } from '../src/ports/objects.ts'
import { ObjectHost } from './object-host.ts'

/** The member of an app that has what it brings. */
export const SERVER_OBJECTS: unique symbol = Symbol('edgeway.objects')

/** What a server brings to the class. */
export interface ServerObjects {
  /** Read when an object is created: the app is complete then. */
  readonly audience: string
  readonly parts: Readonly<Partial<Record<Kind, PartSource>>>
  /** The objects that those of this server call. */
  readonly objectsIn: (env: unknown) => AppObjects
}

const NO_KIND = 'none'

const AUDIENCES: unique symbol = Symbol.for('edgeway.audiences')

/** @throws {TypeError} for two servers with one audience, or with different options for objects that they share */
export function createObjectsClass(servers: readonly ServerObjects[]): EdgewayObjectClass {
  const byDigest = new Map<string, ServerObjects>()
  const shared = new Map<Kind, PartSource & { readonly server: ServerObjects }>()
  for (const server of servers) {
    const digest = audienceDigest(server.audience)
    if (byDigest.has(digest)) {
      throw new TypeError(
        `Two servers have the audience ${JSON.stringify(server.audience)}. Give each one of its own: createEdgeway(…, { audience })`,
      )
    }
    byDigest.set(digest, server)
    for (const [kind, source] of Object.entries(server.parts) as [Kind, PartSource][]) {
      if (isServerKind(kind)) continue
      const first = shared.get(kind)
      if (first === undefined) shared.set(kind, { ...source, server })
      else if (JSON.stringify(first.options) !== JSON.stringify(source.options)) {
        throw new TypeError(
          `The servers ${JSON.stringify(first.server.audience)} and ${JSON.stringify(server.audience)} share the ${kind} objects, and their options for them differ. Give both the same`,
        )
      }
    }
  }
  const findPart = (kind: Kind, digest: string | undefined) => {
    if (digest === undefined) return shared.get(kind)
    const server = byDigest.get(digest)
    const source = server?.parts[kind]
    return server && source && { ...source, server }
  }
  return class McpObjects extends DurableObject<Cloudflare.Env> {
    /** For `edgeway doctor --config`, which loads the main module. */
    static readonly [AUDIENCES] = servers.map(({ audience }) => audience)

    /** No RPC reaches it: it is no method. */
    readonly host: ObjectHost

    constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
      super(ctx, env)
      const name = readObjectName(ctx.id.name)
      const source = name && findPart(name.kind, name.server)
      const part = source?.create(ctx, env, source.server.objectsIn(env))
      this.host = new ObjectHost(ctx, name?.kind ?? NO_KIND, part)
    }

    /** The one RPC of all kinds. Only Edgeway calls it. */
    call(kind: string, method: string, parameters: readonly unknown[]): Promise<unknown> {
      return this.host.call(kind, method, parameters)
    }

    override fetch(request: Request): Promise<Response> {
      return this.host.fetch(request)
    }

    override alarm(): Promise<void> {
      return this.host.alarm()
    }

    override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer) {
      return this.host.webSocketMessage(socket, message)
    }

    override webSocketClose(socket: WebSocket) {
      return this.host.webSocketClose(socket)
    }

    override webSocketError(socket: WebSocket) {
      return this.host.webSocketError(socket)
    }
  }
}
