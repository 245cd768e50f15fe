/** The objects of an app: what a feature brings for a kind of them, and how they are called. */
import type { EdgewayObjectClass } from './object-class.ts'
import type { Kind } from './object-kinds.ts'

/** The objects of a kind, by key. */
export interface ObjectNamespace<Rpc> {
  named(key: string): Rpc
}

/** What the platform calls. Each is absent in a part that does not need it. */
export interface ObjectEvents {
  fetch?(request: Request): Response | Promise<Response>
  alarm?(): void | Promise<void>
  webSocketMessage?(socket: WebSocket, message: string | ArrayBuffer): void | Promise<void>
  webSocketClose?(socket: WebSocket): void | Promise<void>
  webSocketError?(socket: WebSocket): void | Promise<void>
}

/** The calls of the objects of a kind: the methods of its part. They cross as copies, so each returns a promise. */
export type CallsOf<Part> = {
  readonly [Name in Exclude<keyof Part, keyof ObjectEvents> as Part[Name] extends (
    ...parameters: never[]
  ) => unknown
    ? Name
    : never]: Part[Name] extends (...parameters: infer Parameters) => infer Returned
    ? (...parameters: Parameters) => Promise<Awaited<Returned>>
    : never
}

export interface ObjectStub {
  fetch(request: Request): Promise<Response>
}

/** The objects whose part has these methods. */
export type ObjectsOfKind<Part> = ObjectNamespace<CallsOf<Part>>

/** The same, for callers that open sockets. */
export type SocketsOfKind<Part> = ObjectNamespace<CallsOf<Part> & ObjectStub>

/** The objects that a server calls, in one environment. */
export interface AppObjects {
  /**
   * Undefined without the binding.
   *
   * @param kind whose names are completed here: a caller names the key alone
   */
  of<Part>(kind: Kind): SocketsOfKind<Part> | undefined
}

/** Creates the part of an object, when the object comes into memory. */
export type CreatePart = (
  state: DurableObjectState,
  env: Cloudflare.Env,
  objects: AppObjects,
) => ObjectEvents | object

/** What a feature brings for a kind. */
export interface PartSource {
  readonly create: CreatePart
  /** What the part depends on, as JSON. The servers of one Worker must agree for a kind that they share. */
  readonly options?: unknown
}

/** What a server brings to the class of objects. */
export interface ServerObjects {
  readonly audience: string
  readonly parts: Readonly<Partial<Record<Kind, PartSource>>>
  /** The objects that those of this server call. */
  readonly objectsIn: (env: unknown) => AppObjects
}

/** What an object is. */
export interface OpenedPart {
  readonly kind: string
  readonly part: ObjectEvents
}

/** Where the platform may keep objects. @see https://developers.cloudflare.com/durable-objects/reference/data-location/ */
export interface ObjectPlace {
  readonly jurisdiction?: DurableObjectJurisdiction | undefined
  readonly locationHint?: DurableObjectLocationHint | undefined
}

/** Which objects an app calls. */
export interface ObjectSettings extends ObjectPlace {
  /**
   * The binding of a class that decides the kind of its objects: their names are keys. Undefined: sessions are objects of
   * the class of all kinds.
   */
  readonly sessionBinding?: string | undefined
  /** Whether the objects of one server are absent. */
  readonly sharedOnly?: boolean | undefined
  /** Whether a request came on a host that is not loopback. */
  readonly isPublic: () => boolean
}

/** How an app calls objects, and what they are. */
export interface ObjectSupport {
  readonly objectsIn: (env: unknown) => AppObjects
  readonly base: EdgewayObjectClass
}
