/** Members of params that clients send as null for what is not set: they count as absent. */
import { isJsonObject, type JsonObject } from './json.ts'

/** Removes such members of a request that was just parsed. */
export function dropNulls(method: string, params: JsonObject): void {
  drop(params, ['arguments', 'cursor', 'task', 'context'])
  drop(params._meta, ['progressToken'])
  if (method === 'prompts/get') drop(params.arguments)
  const { context } = params
  if (isJsonObject(context)) {
    drop(context, ['arguments'])
    drop(context.arguments)
  }
}

/** @param names those that may be null; all without it */
function drop(owner: unknown, names?: readonly string[]): void {
  if (!isJsonObject(owner)) return
  for (const name of names ?? Object.keys(owner)) {
    if (owner[name] === null) Reflect.deleteProperty(owner, name)
  }
}
