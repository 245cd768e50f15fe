/** Methods that the author of a server answers with a handler instead of registrations. */

import type { Codec } from '../../protocol/codec/codec.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { type CacheHints, LIST_MEMBER, type ListMethod } from '../../protocol/primitives.ts'
import type { PromptDefinition } from '../../server/definition.ts'
import type { AuthorMethod, MethodHandler } from '../../server/method-handler.ts'
import { resultText } from '../result-text.ts'
import { badResult } from '../run-error.ts'
import { failureError, PLAIN_RUN, runHandler } from '../run-handler.ts'
import { checkContent } from '../tool-result.ts'
import { toCompleteResult } from './completion.ts'
import type { Method, MethodEntry } from './method.ts'
import { toPromptResult } from './prompts-get.ts'
import { checkContents } from './resources-read.ts'

/** What a handler returns may depend on everything, so no cache may keep it. */
const NOT_CACHEABLE: CacheHints = { ttlMs: 0, cacheScope: 'private' }

/** Replaces the methods of a table that the author answers. */
export function withAuthorMethods(
  methods: ReadonlyMap<string, MethodEntry>,
  handlers: ReadonlyMap<AuthorMethod, MethodHandler>,
): ReadonlyMap<string, MethodEntry> {
  if (handlers.size === 0) return methods
  const own = new Map(methods)
  for (const [method, handler] of handlers) {
    const entry = own.get(method)
    if (entry !== undefined)
      own.set(method, { ...entry, run: authorMethod(method, handler, entry) })
  }
  return own
}

function authorMethod(method: AuthorMethod, handler: MethodHandler, builtIn: MethodEntry): Method {
  return async (context, call) => {
    const { definition, codec } = context
    const { params = {} } = call.request
    const toBody = TO_BODY[method]
    // The built-in method first, so that the handler learns only of what the caller may do.
    const accepted = toBody === undefined ? await builtIn.run(context, call) : ''
    try {
      const returned = await runHandler(call, codec, PLAIN_RUN, (ctx) => handler(params, ctx))
      if (toBody === undefined) return accepted
      if (!isJsonObject(returned)) throw badResult('it returned no object')
      return resultText(call, codec, toBody(returned as never, codec), CACHE_HINTS[method])
    } catch (error) {
      throw failureError(call, definition, `The handler of ${method}`, error)
    }
  }
}

type ToBody = (returned: never, codec: Codec) => object

/** Prompts are described by their own list. */
const NO_DESCRIPTION = { info: {} } as PromptDefinition

const TO_BODY: Readonly<Partial<Record<AuthorMethod, ToBody>>> = {
  'tools/list': listBody('tools/list'),
  'resources/list': listBody('resources/list'),
  'resources/templates/list': listBody('resources/templates/list'),
  'prompts/list': listBody('prompts/list'),
  'tools/call': (result, codec) => codec.callToolResult(checkContent(result)),
  'resources/read': (result, codec) => codec.readResourceResult(checkContents(result)),
  'prompts/get': (result, codec) => codec.getPromptResult(toPromptResult(NO_DESCRIPTION, result)),
  'completion/complete': ({ completion }: { readonly completion: object }, codec) =>
    codec.completeResult(toCompleteResult(completion)),
}

const CACHE_HINTS: Readonly<Partial<Record<AuthorMethod, CacheHints>>> = {
  'tools/list': NOT_CACHEABLE,
  'resources/list': NOT_CACHEABLE,
  'resources/templates/list': NOT_CACHEABLE,
  'prompts/list': NOT_CACHEABLE,
  'resources/read': NOT_CACHEABLE,
}

function listBody(method: ListMethod): ToBody {
  return (returned: Readonly<Record<string, unknown>>, codec) => {
    const member = LIST_MEMBER[method]
    const { [member]: items, nextCursor } = returned
    if (!Array.isArray(items) || !items.every(isJsonObject)) {
      throw badResult(`it returned no list of ${member}`)
    }
    return {
      [member]: items.map((item) => codec.listItem(method, item as never)),
      ...(typeof nextCursor === 'string' ? { nextCursor } : undefined),
    }
  }
}
