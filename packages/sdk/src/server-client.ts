/**
 * The part of `Server` of the SDK that concerns the client of the running request: who it is, and what a
 * handler asks it and reports to it.
 */
import { findContext } from '../../../src/context/index.ts'
import { hasCapability } from '../../../src/protocol/capabilities.ts'
import type { Implementation } from '../../../src/protocol/content.ts'
import type { FullContext } from '../../../src/server/context.ts'
import { notCarried } from './not-carried.ts'
import { createMessage, elicitInput, listRoots, sendNotification, sendRequest } from './requests.ts'
import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  ListRootsResult,
  LoggingMessageParams,
  NotificationOptions,
  RequestOptions,
  ServerNotification,
  ServerRequest,
} from './types.ts'

export abstract class ServerClient {
  /** The session of the running request. */
  get transport(): { readonly sessionId: string | undefined } | undefined {
    const ctx = findContext()
    return ctx === undefined ? undefined : { sessionId: ctx.session?.id }
  }

  /** The capabilities of the client of the running request; undefined outside of a handler. */
  getClientCapabilities(): ClientCapabilities | undefined {
    const capabilities = findContext()?.client.capabilities
    if (capabilities === undefined) return undefined
    const { elicitation } = capabilities
    // An empty object means forms, as the SDK reads it.
    const isEmpty =
      hasCapability(capabilities, ['elicitation']) &&
      Object.keys(elicitation as object).length === 0
    return (
      isEmpty ? { ...capabilities, elicitation: { form: {} } } : capabilities
    ) as ClientCapabilities
  }

  /** The name and version of the client of the running request; undefined outside of a handler. */
  getClientVersion(): Implementation | undefined {
    return findContext()?.client.info
  }

  /** The protocol revision of the running request. */
  getNegotiatedProtocolVersion(): string | undefined {
    return findContext()?.client.protocolVersion
  }

  async elicitInput(params: ElicitRequestParams, _?: RequestOptions): Promise<ElicitResult> {
    return elicitInput(running('elicitInput'), params)
  }

  async createMessage(
    params: CreateMessageRequestParams,
    _?: RequestOptions,
  ): Promise<CreateMessageResult> {
    return createMessage(running('createMessage'), params)
  }

  async listRoots(_params?: object, _options?: RequestOptions): Promise<ListRootsResult> {
    return listRoots(running('listRoots'))
  }

  async ping(): Promise<object> {
    return sendRequest(running('ping'), { method: 'ping' })
  }

  async request(request: ServerRequest, _schema?: object, _?: RequestOptions): Promise<object> {
    return sendRequest(running('request'), request)
  }

  async notification(notification: ServerNotification, _?: NotificationOptions): Promise<void> {
    return sendNotification(running('notification'), notification)
  }

  async sendLoggingMessage(params: LoggingMessageParams, _sessionId?: string): Promise<void> {
    return this.notification({ method: 'notifications/message', params })
  }

  async sendResourceUpdated(params: { uri: string }): Promise<void> {
    return this.notification({ method: 'notifications/resources/updated', params })
  }

  async sendResourceListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/resources/list_changed' })
  }

  async sendToolListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/tools/list_changed' })
  }

  async sendPromptListChanged(): Promise<void> {
    return this.notification({ method: 'notifications/prompts/list_changed' })
  }

  /** Returns a function that reports that a person has finished at the URL of an elicitation. */
  createElicitationCompletionNotifier(
    elicitationId: string,
    _?: NotificationOptions,
  ): () => Promise<void> {
    const ctx = running('createElicitationCompletionNotifier')
    const method = 'notifications/elicitation/complete'
    return () => sendNotification(ctx, { method, params: { elicitationId } })
  }
}

/** @throws {Error} outside of a handler */
function running(method: string): FullContext {
  const ctx = findContext()
  if (ctx === undefined) {
    throw notCarried(`server.${method}() was called outside of a handler: there is no client.`)
  }
  return ctx
}
