/** The four lists. @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination */
import type { ListMethod } from '../../protocol/primitives.ts'
import { invalidParams } from '../../protocol/protocol-error.ts'
import type { ResourceDefinition } from '../../server/definition.ts'
import { ToolError } from '../../server/tool-error.ts'
import { hasScopes, isVisible } from '../access.ts'
import type { Call, ResultText } from '../call.ts'
import { readCursor } from '../listing/cursor.ts'
import { listResources } from '../listing/resource-list.ts'
import { resultText } from '../result-text.ts'
import { failureError, PLAIN_RUN, runHandler } from '../run-handler.ts'
import type { Method, RevisionContext } from './method.ts'

export function listMethod(method: Exclude<ListMethod, 'resources/list'>): Method {
  return ({ lists }, { request, client }) =>
    lists[method].page(request.params, request.auth, client)
}

/** The list of tools, which may depend on what a feature knows of the caller. */
export const listTools: Method = ({ lists, definition }, call) => {
  const { request, client, deployment } = call
  const list = lists['tools/list']
  const found = deployment.extensions.callers?.ownListOf(definition, call)
  if (found !== undefined) {
    const { era, capabilities } = client
    return found.then((own) => list.page(request.params, request.auth, { era, capabilities, own }))
  }
  return list.page(request.params, request.auth, client)
}

/** Serves registered resources from the cache. If a template lists resources, the list is built for the caller. */
export function listAllResources(
  context: RevisionContext,
  call: Call,
): ResultText | Promise<string> {
  const listsResources = context.definition.templates.some(({ list }) => list !== undefined)
  return listsResources
    ? listForCaller(context, call)
    : context.lists['resources/list'].page(call.request.params, call.request.auth)
}

async function listForCaller({ definition, codec }: RevisionContext, call: Call): Promise<string> {
  const { resources, templates, pageSize } = definition
  const { params, auth } = call.request
  const position = readCursor(params)
  const registered = new Set<ResourceDefinition>(resources.values())
  try {
    const page = await runHandler(call, codec, PLAIN_RUN, (ctx) =>
      listResources(
        [...registered].filter((resource) => resource.isListed && isVisible(resource, auth)),
        // Listing runs the author's code, so it requires the same scopes as reading.
        templates.filter((item) => isVisible(item, auth) && hasScopes(item, auth)),
        ctx,
        pageSize,
        position,
      ),
    )
    const body = {
      resources: page.resources.map((item) => codec.listItem('resources/list', item)),
      ...(page.nextCursor === undefined ? undefined : { nextCursor: page.nextCursor }),
    }
    return resultText(call, codec, body, { ttlMs: 0, cacheScope: 'private' })
  } catch (error) {
    // Only the author's callback can validate the author's cursor. It throws a ToolError.
    if (error instanceof ToolError && position?.inner !== undefined)
      throw invalidParams(error.message)
    throw failureError(call, definition, 'The resource list', error)
  }
}
