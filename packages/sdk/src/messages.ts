/** The types of JSON-RPC messages, of requests, of lists and of notifications, under the names of the SDK. */
import type { Annotations, Meta } from '../../../src/protocol/content.ts'
import type { Prompt } from '../../../src/protocol/primitives.ts'
import type { RequestParams } from './request-schemas.ts'
import type {
  ListedItem,
  ListPage,
  LoggingMessageParams,
  ProgressToken,
  RequestId,
  RequestMeta,
  Result,
  Tool,
} from './types.ts'

export type JSONValue = string | number | boolean | null | JSONObject | JSONArray
export interface JSONObject {
  [key: string]: JSONValue
}
export type JSONArray = JSONValue[]

/** The parameters of a message of any method. */
export interface MessageParams {
  _meta?: RequestMeta
  [member: string]: unknown
}
export interface JSONRPCNotification {
  jsonrpc: '2.0'
  method: string
  params?: MessageParams
}
export interface JSONRPCRequest extends JSONRPCNotification {
  id: RequestId
}
export interface JSONRPCResultResponse {
  jsonrpc: '2.0'
  id: RequestId
  result: Result
}
export interface JSONRPCErrorResponse {
  jsonrpc: '2.0'
  /** Absent where the id of the request could not be read. */
  id?: RequestId
  error: { code: number; message: string; data?: unknown }
}
/** The earlier name of {@link JSONRPCErrorResponse}. */
export type JSONRPCError = JSONRPCErrorResponse
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse

/** A request of one method as a handler receives it. */
export interface RequestOf<Method extends keyof RequestParams> {
  method: Method
  params: RequestParams[Method] & { _meta?: RequestMeta }
}
export type ListToolsRequest = RequestOf<'tools/list'>
export type CallToolRequest = RequestOf<'tools/call'>
export type ListResourcesRequest = RequestOf<'resources/list'>
export type ListResourceTemplatesRequest = RequestOf<'resources/templates/list'>
export type ReadResourceRequest = RequestOf<'resources/read'>
export type SubscribeRequest = RequestOf<'resources/subscribe'>
export type UnsubscribeRequest = RequestOf<'resources/unsubscribe'>
export type ListPromptsRequest = RequestOf<'prompts/list'>
export type GetPromptRequest = RequestOf<'prompts/get'>
export type CompleteRequest = RequestOf<'completion/complete'>
export type SetLevelRequest = RequestOf<'logging/setLevel'>

export interface ListToolsResult extends ListPage {
  tools: Tool[]
}
export interface ListPromptsResult extends ListPage {
  prompts: Prompt[]
}
export interface ListResourceTemplatesResult extends ListPage {
  resourceTemplates: ResourceTemplateType[]
}
/** A resource template in a list. `ResourceTemplate` is the class. */
export interface ResourceTemplateType extends ListedItem {
  uriTemplate: string
  mimeType?: string
  annotations?: Annotations
}

/** A notification of one method. */
export interface NotificationOf<Method extends string, Params> {
  method: Method
  params: Params & { _meta?: Meta }
}
export type LoggingMessageNotificationParams = LoggingMessageParams
export type LoggingMessageNotification = NotificationOf<
  'notifications/message',
  LoggingMessageParams
>
export type ProgressNotification = NotificationOf<
  'notifications/progress',
  { progressToken: ProgressToken; progress: number; total?: number; message?: string }
>
export type ResourceUpdatedNotification = NotificationOf<
  'notifications/resources/updated',
  { uri: string }
>
