/** Checks the definition of a feature. A caller without types may pass anything. */
import { isJsonObject } from '../protocol/json.ts'

const NAME = /^[a-z](?:[-_]?[a-z0-9])*$/i

/** A prefix of labels with dots, a slash, and a name. */
const EXTENSION_ID = /^[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)+\/[a-z0-9](?:[\w.-]*[a-z0-9])?$/i

/** Prefixes whose second label is one of these belong to the protocol. */
const RESERVED = /^[^./]+\.(?:modelcontextprotocol|mcp)(?:\.|\/)/i

/** The names of the standard methods have such a form too. */
const METHOD = /^[a-z][\w.-]*(?:\/[a-z][\w.-]*)+$/i

const BINDING = /^[A-Za-z_]\w*$/

/** @throws {TypeError} that names the feature and the member */
export function checkFeatureDefinition(definition: object): void {
  const { name, extension, methods, context, routes, objects, needs } = definition as Readonly<
    Record<string, unknown>
  >
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new TypeError('A feature needs a name of letters and digits, such as audit')
  }
  const refuse = (text: string) => new TypeError(`Feature ${name}: ${text}`)
  if (extension !== undefined) {
    const { id } = (extension ?? {}) as { readonly id?: unknown }
    if (typeof id !== 'string' || !EXTENSION_ID.test(id)) {
      throw refuse('extension.id needs a prefix of yours and a name, such as com.example/audit')
    }
    if (RESERVED.test(id)) {
      throw refuse(`extension.id "${id}" has a prefix of the protocol: use one of yours`)
    }
    const { settings = {} } = extension as { readonly settings?: unknown }
    if (!isJsonObject(settings)) throw refuse('extension.settings must be an object')
  }
  for (const [method, row] of entriesOf(methods, () => refuse('methods must be an object'))) {
    if (!METHOD.test(method)) throw refuse(`the method "${method}" needs a form such as audit/list`)
    if (typeof (row as { handler?: unknown } | null)?.handler !== 'function') {
      throw refuse(`the method ${method} must be the value of method(options, handler)`)
    }
  }
  if (context !== undefined && typeof context !== 'function') {
    throw refuse('context must be a function of the context')
  }
  for (const [path, handle] of entriesOf(routes, () => refuse('routes must be an object'))) {
    if (!path.startsWith('/')) throw refuse(`the path "${path}" must begin with a slash`)
    if (typeof handle !== 'function') throw refuse(`the route ${path} must be a function`)
  }
  for (const [binding, value] of entriesOf(objects, () => refuse('objects must be an object'))) {
    if (!BINDING.test(binding)) throw refuse(`the binding "${binding}" needs a name like AUDIT_LOG`)
    if (typeof value !== 'function') throw refuse(`objects.${binding} must be a class`)
  }
  if (needs !== undefined && !Array.isArray(needs)) throw refuse('needs must be a list')
}

function entriesOf(
  value: unknown,
  refuse: () => TypeError,
): readonly (readonly [string, unknown])[] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse()
  return Object.entries(value)
}
