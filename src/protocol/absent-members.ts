/** Members of params that clients send as null for what is not set: they count as absent. */
import { isJsonObject, type JsonObject } from './json.ts'

const NULLABLE = ['arguments', 'cursor', 'task', 'context'] as const

/** The params of a request without such members. The same object where there are none. */
export function withoutNulls(method: string, params: JsonObject): JsonObject {
  const { _meta: meta } = params
  const withToken = isJsonObject(meta) && meta.progressToken === null ? meta : undefined
  const hasNull = NULLABLE.some((name) => params[name] === null)
  const isPrompt = method === 'prompts/get' || method === 'completion/complete'
  if (withToken === undefined && !hasNull && !isPrompt) return params
  const rest: Record<string, unknown> = hasNull ? withoutMembers(params, NULLABLE) : { ...params }
  if (withToken) rest._meta = withoutMembers(withToken, ['progressToken'])
  if (isJsonObject(rest.arguments) && method === 'prompts/get') {
    rest.arguments = withoutMembers(rest.arguments, Object.keys(rest.arguments))
  }
  const { context } = rest
  if (isJsonObject(context)) {
    const own = withoutMembers(context, ['arguments'])
    const given = own.arguments
    rest.context = isJsonObject(given)
      ? { ...own, arguments: withoutMembers(given, Object.keys(given)) }
      : own
  }
  return rest as JsonObject
}

/** @param names of members that are left out where they are null */
const withoutMembers = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(value).filter(([name, member]) => member !== null || !names.includes(name)),
  )
