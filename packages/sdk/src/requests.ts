/** What a handler sends to the client: requests and notifications, in the words of the SDK. */

import type { JsonSchema } from '../../../src/protocol/content.ts'
import { isJsonObject } from '../../../src/protocol/json.ts'
import type { CreateMessageRequest as SamplingRequest } from '../../../src/server/ask.ts'
import type { FullContext } from '../../../src/server/context.ts'
import { findFaults } from '../../../src/server/schema/find-faults.ts'
import { checkFormat } from '../../../src/server/schema/formats.ts'
import {
  type Issue,
  isStandardSchema,
  JSON_SCHEMA,
  MAX_ISSUES,
  type Schema,
  type StandardSchema,
} from '../../../src/server/schema/standard-schema.ts'
import { notCarried } from './not-carried.ts'
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  ListRootsResult,
  ServerNotification,
  ServerRequest,
} from './types.ts'
import { describeZod3, isZod3 } from './zod3.ts'

/** @throws {Error} if the client cannot answer, which the handler can catch, as with the SDK */
export async function elicitInput(
  ctx: FullContext,
  params: ElicitRequestParams,
): Promise<ElicitResult> {
  // Without `asks()` this throws, which is no fault of the client.
  const { elicit } = ctx
  if (params.mode === 'url') {
    if (!ctx.client.can('elicit-url')) throw new Error('Client does not support url elicitation.')
    const { message, url, elicitationId } = params
    return { ...(await elicit({ message, url, elicitationId })) }
  }
  if (!ctx.client.can('elicit')) throw new Error('Client does not support form elicitation.')
  const { message, requestedSchema } = params
  const schema = schemaOf(requestedSchema)
  const { action, content } = await elicit({ message, schema })
  // A form has only these types of fields.
  return content === undefined
    ? { action }
    : { action, content: content as ElicitResult['content'] & object }
}

/** @throws {Error} if the client cannot answer */
export async function createMessage(
  ctx: FullContext,
  params: CreateMessageRequestParams,
): Promise<CreateMessageResult> {
  const { sample } = ctx
  const usesTools = params.tools !== undefined || params.toolChoice !== undefined
  if (!ctx.client.can('sample')) throw new Error('Client does not support sampling')
  if (usesTools && !ctx.client.can('sample-tools')) {
    throw new Error('Client does not support sampling tools capability.')
  }
  const result = await sample(params as SamplingRequest)
  // The type of the SDK without tools; with tools the content may be a list.
  return { ...result } as CreateMessageResult
}

/** @throws {Error} if the client cannot answer */
export async function listRoots(ctx: FullContext): Promise<ListRootsResult> {
  const { listRoots: ask } = ctx
  if (!ctx.client.can('roots')) throw new Error('Client does not support listing roots')
  return { roots: [...(await ask())] }
}

/** Sends any of the requests that a server can make. */
export async function sendRequest(
  ctx: FullContext,
  { method, params = {} }: ServerRequest,
): Promise<object> {
  switch (method) {
    case 'elicitation/create':
      return elicitInput(ctx, params as ElicitRequestParams)
    case 'sampling/createMessage':
      return createMessage(ctx, params as CreateMessageRequestParams)
    case 'roots/list':
      return listRoots(ctx)
    case 'ping':
      await ctx.session?.ping()
      return {}
    default:
      throw notCarried(`A request "${method}" cannot be sent to the client.`)
  }
}

/** The parameters of all notifications that a server can send. */
interface NotificationParams {
  readonly progress: number
  readonly total?: number
  readonly message?: string
  readonly level: Parameters<FullContext['log']>[0]
  readonly data: unknown
  readonly logger?: string
  readonly uri: string
  readonly elicitationId: string
}

/** Sends a notification. A change reaches the clients of the caller, or of everyone without authorization. */
export async function sendNotification(
  ctx: FullContext,
  { method, params = {} }: ServerNotification,
): Promise<void> {
  const { progress, total, message, level, data, logger, uri, elicitationId } =
    params as NotificationParams
  const to = { subject: ctx.auth?.subject }
  switch (method) {
    case 'notifications/progress':
      return ctx.progress(progress, total, message)
    case 'notifications/message':
      return ctx.log(level, data, logger)
    case 'notifications/tools/list_changed':
      return ctx.notify.toolsChanged()
    case 'notifications/prompts/list_changed':
      return ctx.notify.promptsChanged()
    case 'notifications/resources/list_changed':
      return ctx.notify.resourcesChanged(to)
    case 'notifications/resources/updated':
      return ctx.notify.resourceUpdated(uri, to)
    case 'notifications/elicitation/complete':
      return ctx.notify.elicitationComplete(elicitationId, to)
    default:
      throw notCarried(`A notification "${method}" cannot be sent to the client.`)
  }
}

/** The schema of a form: JSON Schema, or that of a library. */
function schemaOf(schema: unknown): Schema {
  if (isZod3(schema)) return describeZod3(schema)
  const isObject = typeof schema === 'object' && schema !== null
  return isObject && !isStandardSchema(schema) ? formSchema(schema) : (schema as Schema)
}

/**
 * The schema of a form in JSON Schema, as handlers pass it. What a form can have is checked without the
 * validator of `jsonSchema()`, which an app would contain for it. A form without a schema of its fields is refused
 * where it is sent.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
 */
function formSchema(schema: object): StandardSchema {
  const json = schema as JsonSchema
  const described = () => json
  return {
    '~standard': {
      version: 1,
      vendor: JSON_SCHEMA,
      validate: (value) => {
        const issues = [...findFaults(json, value, MAX_ISSUES + 1), ...formatFaults(json, value)]
        return issues.length === 0 ? { value } : { issues }
      },
      jsonSchema: { input: described, output: described },
    },
  }
}

/** The fields of a form are texts, numbers, booleans and lists of choices, so only its members have formats. */
function formatFaults({ properties }: JsonSchema, value: unknown): Issue[] {
  if (!isJsonObject(properties) || !isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, text]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    const message =
      isJsonObject(field) && typeof text === 'string' ? checkFormat(field, text) : undefined
    return message === undefined ? [] : [{ message, path: [name] }]
  })
}
