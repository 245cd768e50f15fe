/** Finds the definition for the caller of an exchange. */
import type { Dispatchers } from '../dispatch/dispatcher.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { DefinedExchange, Exchange } from './exchange.ts'
import { Refusal } from './refusal.ts'

/**
 * Returns at once for a definition that this isolate has. Rejects with the {@link Refusal}
 * `definition-failed`.
 *
 * @param id of the request that needs the definition
 */
export function defineExchange(
  exchange: Exchange,
  id?: RequestId,
): DefinedExchange | Promise<DefinedExchange> {
  if (isDefined(exchange)) return exchange
  const { endpoint, request, env, auth, factoryParams: params } = exchange
  const definition =
    building.get(request) ?? endpoint.deploymentOf(env).definitions.of({ auth, params, request })
  if (!(definition instanceof Promise)) return { ...exchange, dispatchers: definition }
  building.set(request, definition)
  return whenBuilt(exchange, definition, id)
}

function isDefined(exchange: Exchange): exchange is DefinedExchange {
  return exchange.dispatchers !== undefined
}

/** The steps of one request, and the items of a batch, share a definition that is being built. */
const building = new WeakMap<Request, Promise<Dispatchers>>()

async function whenBuilt(
  exchange: Exchange,
  definition: Promise<Dispatchers>,
  id: RequestId | undefined,
): Promise<DefinedExchange> {
  try {
    return { ...exchange, dispatchers: await definition }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    throw new Refusal('definition-failed', error.message, { id })
  }
}
