/** Members of params that clients send as null for what is not set: they count as absent. */
import { isJsonObject, type JsonObject } from './json.ts'

const OF_PARAMS = ['arguments', 'cursor', 'task', 'context']
const OF_META = ['progressToken']
const OF_CONTEXT = ['arguments']

/** Removes such members of a request that was just parsed. */
export function dropNulls(method: string, params: JsonObject): void {
  drop(params, OF_PARAMS)
  drop(params._meta, OF_META)
  if (method === 'prompts/get') drop(params.arguments)
  const { context } = params
  if (isJsonObject(context)) {
    drop(context, OF_CONTEXT)
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
