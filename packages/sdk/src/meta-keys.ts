/** The reserved keys of `_meta`, under the names of the SDK. */
import { MetaKey } from '../../../src/protocol/meta.ts'

export const PROTOCOL_VERSION_META_KEY = MetaKey.protocolVersion
export const CLIENT_INFO_META_KEY = MetaKey.clientInfo
export const CLIENT_CAPABILITIES_META_KEY = MetaKey.clientCapabilities
export const LOG_LEVEL_META_KEY = MetaKey.logLevel
export const SERVER_INFO_META_KEY = MetaKey.serverInfo
export const SUBSCRIPTION_ID_META_KEY = MetaKey.subscriptionId
export const RELATED_TASK_META_KEY = 'io.modelcontextprotocol/related-task'
/** W3C trace context. */
export const TRACEPARENT_META_KEY = 'traceparent'
export const TRACESTATE_META_KEY = 'tracestate'
export const BAGGAGE_META_KEY = 'baggage'
