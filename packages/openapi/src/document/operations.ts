/** Collects the operations of a description. */
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import {
  type DescriptionError,
  descriptionError,
  isDescriptionError,
  member,
  type Place,
  pointerOf,
} from './description-error.ts'
import type { Located, OpenAPIDocument } from './document.ts'
import type { HttpMethod, OpenAPIOperation } from './operation.ts'
import {
  readRequirements,
  type SecurityRequirements,
  type SecuritySchemes,
  scopesOf,
} from './security.ts'
import { operationName, uniqueName } from './tool-names.ts'

/** `trace` is not in it: `fetch` refuses the method. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

/** An operation with what the description says around it. */
export interface CollectedOperation extends OpenAPIOperation {
  readonly place: Place
  /** The parameters of the path item and of the operation. */
  readonly parameters: readonly Located[]
  /** The innermost list of servers. */
  readonly servers: Located
  readonly requirements: SecurityRequirements
}

/** A part of the description that was left out. */
export interface SkippedPart {
  /** The method and path, such as `GET /pets`. */
  readonly operation: string
  /** The place of the fault, as a JSON pointer. */
  readonly pointer: string
  readonly reason: string
}

/**
 * Collects all operations in the order of the document, so that names do not depend on what is included.
 *
 * @param skip receives the path items and operations that are malformed
 */
export function collectOperations(
  document: OpenAPIDocument,
  schemes: SecuritySchemes,
  skip: (operation: string, error: DescriptionError) => void,
): CollectedOperation[] {
  const { root } = document
  const names = new Set<string>()
  const operations: CollectedOperation[] = []
  for (const [path, located] of document.entries(root.paths, member(undefined, 'paths'))) {
    if (path.startsWith('x-')) continue
    const item = attempt(path, skip, () => document.object(located))
    if (item === undefined) continue
    for (const key of METHODS) {
      const method = key.toUpperCase() as HttpMethod
      if (!Object.hasOwn(item.value, key)) continue
      const source = item.value[key] ?? {}
      const subject = `${method} ${path}`
      const place = member(item.place, key)
      const operation = attempt(subject, skip, () => {
        if (!path.startsWith('/')) throw descriptionError('a path must begin with /', place)
        if (!isJsonObject(source)) throw descriptionError('it must be an object', place)
        const requirements = readRequirements(source.security ?? root.security, schemes)
        return {
          ...describe(source, method, path, requirements),
          pointer: pointerOf(place),
          place,
          requirements,
          parameters: [
            { value: item.value.parameters, place: member(item.place, 'parameters') },
            { value: source.parameters, place: member(place, 'parameters') },
          ],
          servers: serversOf(root, item.value, source, item.place, place),
        }
      })
      if (operation === undefined) continue
      const name = uniqueName(operation.name, (one) => names.has(one))
      names.add(name)
      operations.push({ ...operation, name })
    }
  }
  return operations
}

function attempt<T>(
  subject: string,
  skip: (operation: string, error: DescriptionError) => void,
  read: () => T,
): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isDescriptionError(error)) throw error
    skip(subject, error)
    return undefined
  }
}

function describe(
  source: JsonObject,
  method: HttpMethod,
  path: string,
  requirements: SecurityRequirements,
) {
  const { operationId, tags } = source
  return {
    name: operationName(operationId, method, path),
    operationId: typeof operationId === 'string' ? operationId : undefined,
    method,
    path,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    deprecated: source.deprecated === true,
    scopes: scopesOf(requirements),
    source,
  }
}

function serversOf(
  root: JsonObject,
  item: JsonObject,
  operation: JsonObject,
  itemPlace: Place | undefined,
  place: Place,
): Located {
  const isSet = (servers: unknown) => Array.isArray(servers) && servers.length > 0
  if (isSet(operation.servers)) {
    return { value: operation.servers, place: member(place, 'servers') }
  }
  if (isSet(item.servers)) return { value: item.servers, place: member(itemPlace, 'servers') }
  return { value: root.servers, place: member(undefined, 'servers') }
}
