/** Finds the definition for the caller of an exchange. */
import { DefinitionError } from '../dispatch/definitions.ts'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { DefinedExchange, Exchange } from './exchange.ts'
import { Refusal } from './refusal.ts'

/**
 * Rejects with the {@link Refusal} `definition-failed`.
 *
 * @param id of the request that needs the definition
 */
export function defineExchange(
  exchange: Exchange,
  id?: RequestId,
): DefinedExchange | Promise<DefinedExchange> {
  return isDefined(exchange) ? exchange : define(exchange, id)
}

function isDefined(exchange: Exchange): exchange is DefinedExchange {
  return exchange.dispatcher !== undefined
}

/** The steps of one request, and the items of a batch, share a definition. */
const found = new WeakMap<Request, Dispatcher | Promise<Dispatcher>>()

async function define(exchange: Exchange, id: RequestId | undefined): Promise<DefinedExchange> {
  const { endpoint, request, env, auth, factoryParams: params } = exchange
  const definition =
    found.get(request) ?? endpoint.deploymentOf(env).definitions.of({ auth, params })
  found.set(request, definition)
  try {
    return { ...exchange, dispatcher: await definition }
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    throw new Refusal('definition-failed', error.message, { id })
  }
}
