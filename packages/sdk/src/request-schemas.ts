/**
 * The schemas of the SDK 1.x that name a request, a notification or a result. They validate nothing:
 * Edgeway has validated what they would.
 */
import type {
  CreateMessageResult,
  ElicitResult,
  EmptyResult,
  ListRootsResult,
  LoggingLevel,
  RequestMeta,
} from './types.ts'

/** A schema of one type. */
export interface TypedSchema<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'edgeway'
    readonly validate: (value: unknown) => { readonly value: T }
    readonly types?: { readonly input: T; readonly output: T } | undefined
  }
}

/** The schema of a message of one method. */
export interface MessageSchema<T> extends TypedSchema<T> {
  readonly shape: { readonly method: { readonly value: string } }
}

function result<T>(): TypedSchema<T> {
  const validate = (value: unknown) => ({ value: value as T })
  return { '~standard': { version: 1, vendor: 'edgeway', validate } }
}

/** A request or notification of the client as a handler receives it. */
export interface Message<Params> {
  method: string
  params: Params & { _meta?: RequestMeta }
}

function message<Params>(method: string): MessageSchema<Message<Params>> {
  return { ...result<Message<Params>>(), shape: { method: { value: method } } }
}

/** The parameters of the requests that a handler can answer, by method. */
export interface RequestParams {
  'tools/list': { cursor?: string }
  'tools/call': { name: string; arguments?: Record<string, unknown> }
  'resources/list': { cursor?: string }
  'resources/templates/list': { cursor?: string }
  'resources/read': { uri: string }
  'resources/subscribe': { uri: string }
  'resources/unsubscribe': { uri: string }
  'prompts/list': { cursor?: string }
  'prompts/get': { name: string; arguments?: Record<string, string> }
  'completion/complete': {
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
    argument: { name: string; value: string }
    context?: { arguments?: Record<string, string> }
  }
  'logging/setLevel': { level: LoggingLevel }
}

function request<Method extends keyof RequestParams>(
  method: Method,
): MessageSchema<Message<RequestParams[Method]>> {
  return message(method)
}

export const ListToolsRequestSchema = request('tools/list')
export const CallToolRequestSchema = request('tools/call')
export const ListResourcesRequestSchema = request('resources/list')
export const ListResourceTemplatesRequestSchema = request('resources/templates/list')
export const ReadResourceRequestSchema = request('resources/read')
export const SubscribeRequestSchema = request('resources/subscribe')
export const UnsubscribeRequestSchema = request('resources/unsubscribe')
export const ListPromptsRequestSchema = request('prompts/list')
export const GetPromptRequestSchema = request('prompts/get')
export const CompleteRequestSchema = request('completion/complete')
export const SetLevelRequestSchema = request('logging/setLevel')

export const RootsListChangedNotificationSchema = message<object>(
  'notifications/roots/list_changed',
)
export const InitializedNotificationSchema = message<object>('notifications/initialized')

export const ElicitResultSchema = result<ElicitResult>()
export const CreateMessageResultSchema = result<CreateMessageResult>()
export const ListRootsResultSchema = result<ListRootsResult>()
export const EmptyResultSchema = result<EmptyResult>()
