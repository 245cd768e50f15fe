/** The params of an ask in a revision. Codecs do not contain it: an app that never asks has no use for it. */
import { splitLists } from '../choice-fields.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { Revision } from '../revisions.ts'

/**
 * Returns the params of an ask that is sent as a request, narrowed to the features of the revision.
 *
 * @param elicitationId identifies a URL-mode elicitation that has no id of its own
 */
export function askParams(
  { era, features }: Revision,
  method: string,
  params: JsonObject,
  elicitationId: string,
): JsonObject {
  if (era === 'modern') return modernAskParams(method, params, elicitationId)
  if (method === 'elicitation/create' && params.mode === 'url') {
    return { ...params, elicitationId: params.elicitationId ?? elicitationId }
  }
  if (features.richAsks) return params
  if (method === 'elicitation/create') return narrowForm(params)
  return method === 'sampling/createMessage' ? narrowSampling(params) : params
}

/**
 * Identifies an elicitation by URL. Revision 2026-07-28 needs no id, because an ask has a key, but there are
 * clients that refuse the ask without it.
 */
export function modernAskParams(
  method: string,
  { elicitationId, ...params }: JsonObject,
  newId: string,
): JsonObject {
  if (method !== 'elicitation/create' || params.mode !== 'url') return params
  return { ...params, elicitationId: elicitationId ?? newId }
}

/** Removes `mode`, converts titled choices to `enum` with `enumNames`, and lists to boolean fields. */
function narrowForm({ mode: _, requestedSchema, ...rest }: JsonObject): JsonObject {
  if (!isJsonObject(requestedSchema) || !isJsonObject(requestedSchema.properties)) return rest
  const properties = Object.fromEntries(
    Object.entries(requestedSchema.properties).map(([name, field]) => [name, narrowField(field)]),
  )
  return { ...rest, requestedSchema: splitLists(requestedSchema, properties) }
}

function narrowField(field: JsonValue | undefined): JsonValue {
  if (!isJsonObject(field) || !Array.isArray(field.oneOf)) return field ?? {}
  const { oneOf, ...rest } = field
  const choices = (oneOf as readonly JsonValue[]).filter(isJsonObject)
  return {
    ...rest,
    enum: choices.map(({ const: value }) => value ?? null),
    enumNames: choices.map(({ title }) => title ?? null),
  }
}

/** Splits a message with several content blocks into messages of the same role with one block each. */
function narrowSampling({ messages, ...rest }: JsonObject): JsonObject {
  if (!Array.isArray(messages)) return rest
  const single = (messages as readonly JsonValue[]).flatMap((message): readonly JsonValue[] => {
    if (!isJsonObject(message)) return [message]
    const { role, content } = message
    const blocks = Array.isArray(content) ? (content as readonly JsonValue[]) : [content ?? null]
    return blocks.map((block) => ({ role: role ?? null, content: block }))
  })
  return { ...rest, messages: single }
}
